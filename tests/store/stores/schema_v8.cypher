CREATE CONSTRAINT `tuqa_class` FOR (n:`Class`) REQUIRE (n.`dataset`, n.`source`, n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_dataset` FOR (n:`Dataset`) REQUIRE (n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_dataset_group` FOR (n:`DatasetGroup`) REQUIRE (n.`name`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_dataset_load` FOR (n:`Load`) REQUIRE (n.`dataset`, n.`number`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_demonstration` FOR (n:`Demonstration`) REQUIRE (n.`dataset`, n.`key`) IS UNIQUE;

CREATE CONSTRAINT `tuqa_fact_group` FOR ()-[r:`HAS`]-() REQUIRE (r.`number`) IS UNIQUE;

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

CREATE RANGE INDEX `tuqa_fact_from_hub` FOR ()-[r:`FACT`]-() ON (r.`head`, r.`relation`, r.`number`);

CREATE RANGE INDEX `tuqa_fact_number` FOR ()-[r:`FACT`]-() ON (r.`number`);

CREATE RANGE INDEX `tuqa_fact_span` FOR ()-[r:`FACT`]-() ON (r.`number`, r.`span`, r.`start`);

CREATE RANGE INDEX `tuqa_fact_to_hub` FOR ()-[r:`FACT`]-() ON (r.`tail`, r.`relation`, r.`number`);

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
(n3:Dataset {class_labels: ["Cat", "class", "property"], complete: true, facts: 7, kind: "kg", loaded: datetime("2026-01-01T00:00:00Z"), name: "zoo", nodes: 7, state: "complete", values: ""}),
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
(n15:Entity:Name:Node {dataset: "zoo", folded: "class", key: "class", name: "class"}),
(n16:Entity:Name:Node {dataset: "zoo", folded: "oslo", key: "http://example.org/Oslo", name: "Oslo"}),
(n17:Entity:Name:Node {dataset: "zoo", folded: "property", key: "property", name: "property"}),
(n18:Entity:Name:Node:class {dataset: "zoo", folded: "animal", key: "http://example.org/Animal", name: "Animal"}),
(n19:Entity:Name:Node:class {dataset: "zoo", folded: "cat", key: "http://example.org/Cat", name: "Cat"}),
(n20:Entity:Name:Node:property {dataset: "zoo", folded: "lives in", key: "http://example.org/lives_in", name: "lives_in"}),
(n21:GroupMember {dataset: "teams", group: "teams\u001ftowns"}),
(n22:GroupMember {dataset: "towns", group: "teams\u001ftowns"}),
(n23:Hyperedge:Node {dataset: "teams", key: "fact\u001f3100e531ccfe8303b997ead7007903f5803692ee1f8140f1b7b9a6f876f47174", name: "Ann plays for Reds", relation: "plays for"}),
(n24:Load {dataset: "teams", dropped: [], encoding: "utf-8", facts: 5, files: ["teams.tsv"], finished: datetime("2026-01-01T00:00:00Z"), format: "temporal-kg", hashes: ["f52ba0e17a43518d3aec2b050fb29b37a3d75bce15a489fd51020bc4f6981dd2"], nodes: 7, number: 1, owner: "host 1 1 0", position: 5, sizes: [148], started: datetime("2026-01-01T00:00:00Z"), state: "complete", touched: datetime("2026-01-01T00:00:00Z"), values: ""}),
(n25:Load {dataset: "towns", dropped: [], encoding: "utf-8", facts: 6, files: ["towns.csv"], finished: datetime("2026-01-01T00:00:00Z"), format: "table", hashes: ["69fb8b6a09065db841cf17f8d8e9226b98fc702c1a9198c300013ae080a5276f"], nodes: 8, number: 1, owner: "host 1 1 0", position: 9, sizes: [46], started: datetime("2026-01-01T00:00:00Z"), state: "complete", touched: datetime("2026-01-01T00:00:00Z"), values: ""}),
(n26:Load {dataset: "zoo", dropped: [], encoding: "utf-8", facts: 7, files: ["zoo.ttl"], finished: datetime("2026-01-01T00:00:00Z"), format: "rdf", hashes: ["2e17d8c147070ba10cd0f457e85975c1c2f61f2f658405ef19b1fc04d7f14758"], nodes: 7, number: 1, owner: "host 1 1 0", position: 19, sizes: [256], started: datetime("2026-01-01T00:00:00Z"), state: "complete", touched: datetime("2026-01-01T00:00:00Z"), values: ""}),
(n27:Name:Node:Value {dataset: "towns", folded: "blues", key: "Blues", name: "Blues"}),
(n28:Name:Node:Value {dataset: "towns", folded: "oslo", key: "Oslo", name: "Oslo"}),
(n29:Name:Node:Value {dataset: "towns", folded: "reds", key: "Reds", name: "Reds"}),
(n30:Name:Node:Value {dataset: "towns", folded: "rome", key: "Rome", name: "Rome"}),
(n31:Node:Row {dataset: "towns", key: "towns.csv\u001f1", name: "row 1", position: 1, source: "towns.csv"}),
(n32:Node:Row {dataset: "towns", key: "towns.csv\u001f2", name: "row 2", position: 2, source: "towns.csv"}),
(n33:Node:Value {dataset: "towns", folded: "1200", key: "1200\u001f=1200.0", name: "1200", number: 1200.0}),
(n34:Node:Value {dataset: "towns", folded: "900", key: "900", name: "900", number: 900.0}),
(n35:Note {added: datetime("2026-01-01T00:00:00Z"), dataset: "towns", position: 0, text: "Seats are counted in May."}),
(n36:Pattern {count: 1, dataset: "teams", first: "b4c9fa9d5a851698244f6babe9be4862", key: "544756887ac6d960d0e396555214b278", masked: "Query1: get_information(head_entity={0}, relation='born in')", query: "get_information(head_entity='Ann', relation='born in')", question: "Where was Ann born?", template: "where was {0} born", words: "where was born"}),
(n37:Pattern {count: 1, dataset: "teams\u001ftowns", first: "c967252a02b307a16ade4371cae8e49c", key: "305c14960f7d91a0dd0ddd00c3ee4ee6", masked: "Query1: get_information(relation='team', tail_entity=get_information(head_entity={0}, relation='plays for'), key='town')", query: "get_information(relation='team', tail_entity=get_information(head_entity='Bob', relation='plays for'), key='town')", question: "Which town has the team of Bob?", template: "which town has the team of {0}", words: "which town has the team of"}),
(n38:Property {comment: "", dataset: "zoo", datatypes: [], domains: ["Animal"], folded: "lives in", inverses: [], labels: [], name: "lives_in", parents: [], ranges: [], source: "zoo.ttl", transitive: false, values: false}),
(n39:Property {comment: "", dataset: "zoo", datatypes: [], domains: [], folded: "disjoint with", inverses: ["disjoint with"], labels: [], name: "disjoint with", parents: [], ranges: [], source: "zoo.ttl", transitive: false}),
(n40:Property {comment: "", dataset: "zoo", datatypes: [], domains: [], folded: "inverse of", inverses: ["inverse of"], labels: [], name: "inverse of", parents: [], ranges: [], source: "zoo.ttl", transitive: false}),
(n41:Property {comment: "", dataset: "zoo", datatypes: [], domains: [], folded: "kind of", inverses: [], labels: [], name: "kind of", parents: [], ranges: [], source: "zoo.ttl", transitive: true}),
(n42:Relation {dataset: "teams", folded: "born in", name: "born in"}),
(n43:Relation {dataset: "teams", folded: "plays for", name: "plays for"}),
(n44:Relation {dataset: "teams", folded: "role", name: "role"}),
(n45:Relation {dataset: "towns", folded: "seats", name: "seats"}),
(n46:Relation {dataset: "towns", folded: "team", name: "team"}),
(n47:Relation {dataset: "towns", folded: "town", name: "town"}),
(n48:Relation {dataset: "zoo", folded: "domain", name: "domain"}),
(n49:Relation {dataset: "zoo", folded: "kind of", name: "kind of"}),
(n50:Relation {dataset: "zoo", folded: "lives in", name: "lives_in"}),
(n51:Relation {dataset: "zoo", folded: "type", name: "type"}),
(n52:Schema {name: "trustuqa", numbers: 10, version: 8}),
(n53:SchemaLock {name: "trustuqa"}),
(n54:Source {dataset: "teams", facts: 5, files: ["teams.tsv"], kind: "temporal-kg", load: 1, name: "teams.tsv"}),
(n55:Source {dataset: "towns", facts: 6, files: ["towns.csv"], kind: "table", load: 1, name: "towns.csv", readings: "{\"seats\": \"type number\"}"}),
(n56:Source {dataset: "zoo", facts: 7, files: ["zoo.ttl"], kind: "kg", load: 1, name: "zoo.ttl"}),
(n57:Synonym {dataset: "towns", kind: "relation", name: "seats", phrase: "places"}),
(n58:Vocabulary {counts: $x789c6364606060046226286644c20000b0000a, dataset: "teams", nameless: [0, 0, 0, 0, 0, 0], pairs: $x789c6360800046241a8499a098198a59a098158a01025c0020, sides: ["start\u001fborn in", "start\u001fplays for", "end\u001fplays for", "end\u001fborn in", "end\u001frole", "start\u001frole"], sizes: [1, 2, 2, 1, 1, 1], stamp: "01cdd6d7-4588-49fb-b6ec-cb52a56c5c5d"}),
(n59:Vocabulary {counts: $x789c636660606044c22c486c263439429854f5200c000ba80028, dataset: "zoo", nameless: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], pairs: $x789c4dced10ac0200c4351ad75b6eeffff7794dd408570880fa163fc6fa2e36eff15c3858e1b0f06265e7cdb8eb163eca82fba74f665e521870466eb4197c91d973b64e5036b680133, sides: ["end\u001ftype", "start\u001ftype", "end\u001fdomain", "end\u001fkind of", "class\u001fclass", "start\u001fkind of", "end\u001flives_in", "start\u001flives_in", "class\u001fCat", "class\u001fAnimal", "start\u001fdomain", "class\u001fproperty"], sizes: [3, 4, 1, 1, 2, 1, 1, 1, 1, 1, 1, 1], stamp: "18ab8187-0af4-4fb2-9551-9ab5011d0dc2"}),
(n0)-[:FACT {line: 6, number: 7, relation: "type"}]->(n19),
(n0)-[:FACT {line: 6, number: 8, relation: "lives_in"}]->(n16),
(n11)-[:FACT {end: 20031231, end_text: "2003", line: 4, number: 1, relation: "plays for", span: 15, start: 20010101, start_text: "2001"}]->(n14),
(n18)-[:FACT {line: 4, number: 7, relation: "type"}]->(n15),
(n19)-[:FACT {line: 4, number: 7, relation: "type"}]->(n15),
(n19)-[:FACT {line: 4, number: 9, relation: "kind of"}]->(n18),
(n20)-[:FACT {line: 5, number: 10, relation: "domain"}]->(n18),
(n20)-[:FACT {line: 5, number: 7, relation: "type"}]->(n17),
(n23)-[:FACT {line: 2, number: 2, relation: "role"}]->(n12),
(n23)-[:HEAD {}]->(n9),
(n23)-[:TAIL {}]->(n14),
(n31)-[:FACT {line: 2, number: 4, relation: "team"}]->(n29),
(n31)-[:FACT {line: 2, number: 5, relation: "town"}]->(n28),
(n31)-[:FACT {line: 2, number: 6, relation: "seats"}]->(n33),
(n32)-[:FACT {line: 3, number: 4, relation: "team"}]->(n27),
(n32)-[:FACT {line: 3, number: 5, relation: "town"}]->(n30),
(n32)-[:FACT {line: 3, number: 6, relation: "seats"}]->(n34),
(n54)-[:HAS {dates: 0, facts: 1, held: 0, number: 2, numbers: 0, samples: ["captain"], values: 0}]->(n44),
(n54)-[:HAS {dates: 0, facts: 1, held: 0, number: 3, numbers: 0, samples: ["Oslo"], values: 0}]->(n42),
(n54)-[:HAS {dates: 0, facts: 3, first: 19900101, held: 3, last: 20031231, number: 1, numbers: 0, qualifiers: ["role"], samples: ["Reds", "Blues"], values: 0}]->(n43),
(n55)-[:HAS {dates: 0, facts: 2, held: 0, highest: 1200.0, lowest: 900.0, number: 6, numbers: 2, places: [3], samples: ["1200", "900"], values: 2}]->(n45),
(n55)-[:HAS {dates: 0, facts: 2, held: 0, number: 4, numbers: 0, places: [1], samples: ["Reds", "Blues"], values: 0}]->(n46),
(n55)-[:HAS {dates: 0, facts: 2, held: 0, number: 5, numbers: 0, places: [2], samples: ["Oslo", "Rome"], values: 0}]->(n47),
(n56)-[:HAS {dates: 0, facts: 1, held: 0, number: 10, numbers: 0, samples: ["Animal"], values: 0}]->(n48),
(n56)-[:HAS {dates: 0, facts: 1, held: 0, number: 8, numbers: 0, samples: ["Oslo"], values: 0}]->(n50),
(n56)-[:HAS {dates: 0, facts: 1, held: 0, number: 9, numbers: 0, samples: ["Animal"], values: 0}]->(n49),
(n56)-[:HAS {dates: 0, facts: 4, held: 0, number: 7, numbers: 0, samples: ["Cat", "class", "property"], values: 0}]->(n51),
(n7)-[:LIKE {}]->(n36),
(n8)-[:LIKE {}]->(n37),
(n9)-[:FACT {end: 100000000000, line: 3, number: 1, relation: "plays for", span: 37, start: 19960101, start_text: "1996"}]->(n10),
(n9)-[:FACT {end: 19951231, end_text: "1995", hyperedge: "fact\u001f3100e531ccfe8303b997ead7007903f5803692ee1f8140f1b7b9a6f876f47174", line: 2, number: 1, relation: "plays for", span: 16, start: 19900101, start_text: "1990"}]->(n14),
(n9)-[:FACT {line: 5, number: 3, relation: "born in"}]->(n13);
