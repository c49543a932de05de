CREATE CONSTRAINT `tuqa_class` FOR (n:`Class`) REQUIRE (n.`dataset`, n.`source`, n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_dataset` FOR (n:`Dataset`) REQUIRE (n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_dataset_group` FOR (n:`DatasetGroup`) REQUIRE (n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_dataset_load` FOR (n:`Load`) REQUIRE (n.`dataset`, n.`number`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_demonstration` FOR (n:`Demonstration`) REQUIRE (n.`dataset`, n.`key`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_group_member` FOR (n:`GroupMember`) REQUIRE (n.`dataset`, n.`group`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_node_key` FOR (n:`Node`) REQUIRE (n.`dataset`, n.`key`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_note` FOR (n:`Note`) REQUIRE (n.`dataset`, n.`text`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_pattern` FOR (n:`Pattern`) REQUIRE (n.`dataset`, n.`key`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_property` FOR (n:`Property`) REQUIRE (n.`dataset`, n.`source`, n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_relation` FOR (n:`Relation`) REQUIRE (n.`dataset`, n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_schema` FOR (n:`Schema`) REQUIRE (n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_source` FOR (n:`Source`) REQUIRE (n.`dataset`, n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_synonym` FOR (n:`Synonym`) REQUIRE (n.`dataset`, n.`phrase`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_vocabulary` FOR (n:`Vocabulary`) REQUIRE (n.`dataset`) IS UNIQUE;

CREATE RANGE INDEX `tuqa_alias` FOR (n:`Alias`) ON (n.`dataset`, n.`folded`);

CREATE RANGE INDEX `tuqa_fact_head` FOR ()-[r:`FACT`]-() ON (r.`head`, r.`relation`, r.`source`);

CREATE RANGE INDEX `tuqa_fact_held` FOR ()-[r:`FACT`]-() ON (r.`dataset`, r.`relation`, r.`span`, r.`start`);

CREATE RANGE INDEX `tuqa_fact_source` FOR ()-[r:`FACT`]-() ON (r.`dataset`, r.`source`, r.`relation`);

CREATE RANGE INDEX `tuqa_fact_tail` FOR ()-[r:`FACT`]-() ON (r.`tail`, r.`relation`, r.`source`);

CREATE FULLTEXT INDEX `tuqa_name_text` FOR (n:`Name`) ON EACH [n.`name`, n.`dataset`] OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words',`fulltext.eventually_consistent`: true}};

CREATE RANGE INDEX `tuqa_node_date` FOR (n:`Node`) ON (n.`dataset`, n.`date_start`);

CREATE RANGE INDEX `tuqa_node_folded` FOR (n:`Node`) ON (n.`dataset`, n.`folded`);

CREATE RANGE INDEX `tuqa_node_number` FOR (n:`Node`) ON (n.`dataset`, n.`number`);

CREATE FULLTEXT INDEX `tuqa_pattern_text` FOR (n:`Pattern`) ON EACH [n.`words`, n.`dataset`] OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words',`fulltext.eventually_consistent`: false}};

CREATE RANGE INDEX `tuqa_relation_folded` FOR (n:`Relation`) ON (n.`dataset`, n.`folded`);

CREATE
(n0:Cat:Entity:Name:Node {dataset: "zoo", folded: "tom", key: "http://example.org/Tom", name: "Tom"}),
(n1:Class {comment: "", dataset: "zoo", disjoint: [], folded: "animal", labels: [], name: "Animal", parents: [], source: "zoo.ttl"}),
(n2:Class {comment: "", dataset: "zoo", disjoint: [], folded: "cat", labels: [], name: "Cat", parents: ["Animal"], source: "zoo.ttl"}),
(n3:Dataset {class_labels: ["Cat"], complete: true, facts: 2, kind: "kg", loaded: datetime("2026-01-01T00:00:00Z"), name: "zoo", nodes: 4, state: "complete", values: ""}),
(n4:Dataset {complete: true, facts: 5, kind: "temporal-kg", loaded: datetime("2026-01-01T00:00:00Z"), name: "teams", nodes: 7, state: "complete", values: ""}),
(n5:Dataset {complete: true, facts: 6, kind: "table", loaded: datetime("2026-01-01T00:00:00Z"), name: "towns", nodes: 8, state: "complete", values: ""}),
(n6:DatasetGroup {datasets: ["teams", "towns"], name: "teams\u001ftowns"}),
(n7:Demonstration {answers: ["Oslo"], dataset: "teams", fields: [], key: "b4c9fa9d5a851698244f6babe9be4862", query: "get_information(head_entity='Ann', relation='born in')", question: "Where was Ann born?", state: "verified", why: ""}),
(n8:Demonstration {answers: ["Oslo"], dataset: "teams\u001ftowns", fields: [], key: "c967252a02b307a16ade4371cae8e49c", query: "get_information(relation='team', tail_entity=get_information(head_entity='Bob', relation='plays for'), key='town')", question: "Which town has the team of Bob?", state: "verified", why: ""}),
(n9:Entity:Name:Node {dataset: "teams", folded: "ann", key: "Ann", name: "Ann"}),
(n10:Entity:Name:Node {dataset: "teams", folded: "blues", key: "Blues", name: "Blues"}),
(n11:Entity:Name:Node {dataset: "teams", folded: "bob", key: "Bob", name: "Bob"}),
(n12:Entity:Name:Node {dataset: "teams", folded: "captain", key: "captain", name: "captain"}),
(n13:Entity:Name:Node {dataset: "teams", folded: "oslo", key: "Oslo", name: "Oslo"}),
(n14:Entity:Name:Node {dataset: "teams", folded: "reds", key: "Reds", name: "Reds"}),
(n15:Entity:Name:Node {dataset: "zoo", folded: "animal", key: "http://example.org/Animal", name: "Animal"}),
(n16:Entity:Name:Node {dataset: "zoo", folded: "cat", key: "http://example.org/Cat", name: "Cat"}),
(n17:Entity:Name:Node {dataset: "zoo", folded: "oslo", key: "http://example.org/Oslo", name: "Oslo"}),
(n18:GroupMember {dataset: "teams", group: "teams\u001ftowns"}),
(n19:GroupMember {dataset: "towns", group: "teams\u001ftowns"}),
(n20:Hyperedge:Node {dataset: "teams", key: "fact\u001f3100e531ccfe8303b997ead7007903f5803692ee1f8140f1b7b9a6f876f47174", name: "Ann plays for Reds", relation: "plays for"}),
(n21:Load {dataset: "teams", dropped: [], encoding: "utf-8", files: ["teams.tsv"], finished: datetime("2026-01-01T00:00:00Z"), format: "temporal-kg", hashes: ["f52ba0e17a43518d3aec2b050fb29b37a3d75bce15a489fd51020bc4f6981dd2"], number: 1, owner: "host 1 1 0", position: 5, sizes: [148], started: datetime("2026-01-01T00:00:00Z"), state: "complete", touched: datetime("2026-01-01T00:00:00Z"), values: ""}),
(n22:Load {dataset: "towns", dropped: [], encoding: "utf-8", files: ["towns.csv"], finished: datetime("2026-01-01T00:00:00Z"), format: "table", hashes: ["69fb8b6a09065db841cf17f8d8e9226b98fc702c1a9198c300013ae080a5276f"], number: 1, owner: "host 1 1 0", position: 9, sizes: [46], started: datetime("2026-01-01T00:00:00Z"), state: "complete", touched: datetime("2026-01-01T00:00:00Z"), values: ""}),
(n23:Load {dataset: "zoo", dropped: [], encoding: "utf-8", files: ["zoo.ttl"], finished: datetime("2026-01-01T00:00:00Z"), format: "rdf", hashes: ["2e17d8c147070ba10cd0f457e85975c1c2f61f2f658405ef19b1fc04d7f14758"], number: 1, owner: "host 1 1 0", position: 10, sizes: [256], started: datetime("2026-01-01T00:00:00Z"), state: "complete", touched: datetime("2026-01-01T00:00:00Z"), values: ""}),
(n24:Name:Node:Value {dataset: "towns", folded: "blues", key: "Blues", name: "Blues"}),
(n25:Name:Node:Value {dataset: "towns", folded: "oslo", key: "Oslo", name: "Oslo"}),
(n26:Name:Node:Value {dataset: "towns", folded: "reds", key: "Reds", name: "Reds"}),
(n27:Name:Node:Value {dataset: "towns", folded: "rome", key: "Rome", name: "Rome"}),
(n28:Node:Row {dataset: "towns", key: "towns.csv\u001f1", name: "row 1", position: 1, source: "towns.csv"}),
(n29:Node:Row {dataset: "towns", key: "towns.csv\u001f2", name: "row 2", position: 2, source: "towns.csv"}),
(n30:Node:Value {dataset: "towns", date_end: 12001231, date_start: 12000101, folded: "1200", key: "1200", name: "1200", number: 1200.0}),
(n31:Node:Value {dataset: "towns", folded: "900", key: "900", name: "900", number: 900.0}),
(n32:Note {added: datetime("2026-01-01T00:00:00Z"), dataset: "towns", position: 0, text: "Seats are counted in May."}),
(n33:Pattern {count: 1, dataset: "teams", first: "b4c9fa9d5a851698244f6babe9be4862", key: "544756887ac6d960d0e396555214b278", masked: "Query1: get_information(head_entity={0}, relation='born in')", query: "get_information(head_entity='Ann', relation='born in')", question: "Where was Ann born?", template: "where was {0} born", words: "where was born"}),
(n34:Pattern {count: 1, dataset: "teams\u001ftowns", first: "c967252a02b307a16ade4371cae8e49c", key: "305c14960f7d91a0dd0ddd00c3ee4ee6", masked: "Query1: get_information(relation='team', tail_entity=get_information(head_entity={0}, relation='plays for'), key='town')", query: "get_information(relation='team', tail_entity=get_information(head_entity='Bob', relation='plays for'), key='town')", question: "Which town has the team of Bob?", template: "which town has the team of {0}", words: "which town has the team of"}),
(n35:Property {comment: "", dataset: "zoo", datatypes: [], domains: ["Animal"], folded: "lives in", inverses: [], labels: [], name: "lives_in", parents: [], ranges: [], source: "zoo.ttl", transitive: false, values: false}),
(n36:Relation {dataset: "teams", folded: "born in", name: "born in"}),
(n37:Relation {dataset: "teams", folded: "plays for", name: "plays for"}),
(n38:Relation {dataset: "teams", folded: "role", name: "role"}),
(n39:Relation {dataset: "towns", folded: "seats", name: "seats"}),
(n40:Relation {dataset: "towns", folded: "team", name: "team"}),
(n41:Relation {dataset: "towns", folded: "town", name: "town"}),
(n42:Relation {dataset: "zoo", folded: "lives in", name: "lives_in"}),
(n43:Relation {dataset: "zoo", folded: "type", name: "type"}),
(n44:Schema {name: "trustuqa", version: 7}),
(n45:SchemaLock {name: "trustuqa"}),
(n46:Source {dataset: "teams", facts: 5, files: ["teams.tsv"], kind: "temporal-kg", load: 1, name: "teams.tsv"}),
(n47:Source {dataset: "towns", facts: 6, files: ["towns.csv"], kind: "table", load: 1, name: "towns.csv"}),
(n48:Source {dataset: "zoo", facts: 2, files: ["zoo.ttl"], kind: "kg", load: 1, name: "zoo.ttl"}),
(n49:Synonym {dataset: "towns", kind: "relation", name: "seats", phrase: "places"}),
(n50:Vocabulary {counts: $x789c6364606060046226286644c20000b0000a, dataset: "teams", nameless: [0, 0, 0, 0, 0, 0], pairs: $x789c6360800046241a8499a098198a59a098158a01025c0020, sides: ["start\u001fborn in", "start\u001fplays for", "end\u001fplays for", "end\u001fborn in", "end\u001frole", "start\u001frole"], sizes: [1, 2, 2, 1, 1, 1], stamp: "9623d666-497d-430e-b3dc-033b3791f740"}),
(n51:Vocabulary {counts: $x789c6364606060240103000168000d, dataset: "zoo", nameless: [0, 0, 0, 0, 0, 0], pairs: $x789c6360800046286682626628cd02a55991c499a1e2cc5071189f05ca87d1200c000b1c0049, sides: ["end\u001ftype", "end\u001flives_in", "start\u001flives_in", "start\u001ftype", "class\u001fCat", "class\u001fAnimal"], sizes: [1, 1, 1, 1, 1, 1], stamp: "2017feeb-cbf8-458c-974c-db9cea5f000c"}),
(n0)-[:FACT {dataset: "zoo", file: 0, line: 6, relation: "lives_in", source: "zoo.ttl"}]->(n17),
(n0)-[:FACT {dataset: "zoo", file: 0, line: 6, relation: "type", source: "zoo.ttl"}]->(n16),
(n11)-[:FACT {dataset: "teams", end: 20031231, end_text: "2003", file: 0, line: 4, relation: "plays for", source: "teams.tsv", span: 15, start: 20010101, start_text: "2001"}]->(n14),
(n20)-[:FACT {dataset: "teams", file: 0, line: 2, relation: "role", source: "teams.tsv"}]->(n12),
(n20)-[:HEAD {}]->(n9),
(n20)-[:TAIL {}]->(n14),
(n28)-[:FACT {dataset: "towns", file: 0, line: 2, relation: "seats", source: "towns.csv"}]->(n30),
(n28)-[:FACT {dataset: "towns", file: 0, line: 2, relation: "team", source: "towns.csv"}]->(n26),
(n28)-[:FACT {dataset: "towns", file: 0, line: 2, relation: "town", source: "towns.csv"}]->(n25),
(n29)-[:FACT {dataset: "towns", file: 0, line: 3, relation: "seats", source: "towns.csv"}]->(n31),
(n29)-[:FACT {dataset: "towns", file: 0, line: 3, relation: "team", source: "towns.csv"}]->(n24),
(n29)-[:FACT {dataset: "towns", file: 0, line: 3, relation: "town", source: "towns.csv"}]->(n27),
(n46)-[:HAS {dates: 0, facts: 1, held: 0, numbers: 0, samples: ["Oslo"], values: 0}]->(n36),
(n46)-[:HAS {dates: 0, facts: 1, held: 0, numbers: 0, samples: ["captain"], values: 0}]->(n38),
(n46)-[:HAS {dates: 0, facts: 3, first: 19900101, held: 3, last: 20031231, numbers: 0, qualifiers: ["role"], samples: ["Reds", "Blues"], values: 0}]->(n37),
(n47)-[:HAS {dates: 0, facts: 2, held: 0, numbers: 0, places: [1], samples: ["Reds", "Blues"], values: 0}]->(n40),
(n47)-[:HAS {dates: 0, facts: 2, held: 0, numbers: 0, places: [2], samples: ["Oslo", "Rome"], values: 0}]->(n41),
(n47)-[:HAS {dates: 1, earliest: 12000101, facts: 2, held: 0, highest: 1200.0, latest: 12001231, lowest: 900.0, numbers: 2, places: [3], samples: ["1200", "900"], values: 2}]->(n39),
(n48)-[:HAS {dates: 0, facts: 1, held: 0, numbers: 0, samples: ["Cat"], values: 0}]->(n43),
(n48)-[:HAS {dates: 0, facts: 1, held: 0, numbers: 0, samples: ["Oslo"], values: 0}]->(n42),
(n7)-[:LIKE {}]->(n33),
(n8)-[:LIKE {}]->(n34),
(n9)-[:FACT {dataset: "teams", end: 100000000000, file: 0, line: 3, relation: "plays for", source: "teams.tsv", span: 37, start: 19960101, start_text: "1996"}]->(n10),
(n9)-[:FACT {dataset: "teams", end: 19951231, end_text: "1995", file: 0, hyperedge: "fact\u001f3100e531ccfe8303b997ead7007903f5803692ee1f8140f1b7b9a6f876f47174", line: 2, relation: "plays for", source: "teams.tsv", span: 16, start: 19900101, start_text: "1990"}]->(n14),
(n9)-[:FACT {dataset: "teams", file: 0, line: 5, relation: "born in", source: "teams.tsv"}]->(n13);
