// List the datasets that are not being dropped, and count the nodes that belong to no dataset.
RETURN COLLECT {
         MATCH (dataset:Dataset) WHERE coalesce(dataset.state, '') <> 'dropping'
         RETURN dataset.name ORDER BY dataset.name
       } AS datasets,
       COUNT { MATCH () } - COUNT { MATCH (:Schema) } - COUNT { MATCH (:SchemaLock) }
         - COUNT { MATCH (:EmbeddingModel) } - COUNT { MATCH (:Dataset) }
       - CASE COUNT { MATCH (:Dataset) } WHEN 0 THEN 0 ELSE
           COUNT { MATCH (:Node) } + COUNT { MATCH (:Alias) } + COUNT { MATCH (:Load) }
           + COUNT { MATCH (:Source) } + COUNT { MATCH (:Relation) }
           + COUNT { MATCH (:Demonstration) } + COUNT { MATCH (:Pattern) }
           + COUNT { MATCH (:Class) } + COUNT { MATCH (:Property) } + COUNT { MATCH (:Vocabulary) }
           + COUNT { MATCH (:Synonym) } + COUNT { MATCH (:Note) }
           + COUNT { MATCH (:DatasetGroup) } + COUNT { MATCH (:GroupMember) }
         END AS foreign
