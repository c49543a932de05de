// Delete the synonyms of a dataset with these phrases, or all; return how many.
// $dataset: text
// $phrases: list of normalized phrases, or null
MATCH (synonym:Synonym {dataset: $dataset})
WHERE synonym.phrase IS NOT NULL // uses the index
  AND ($phrases IS NULL OR synonym.phrase IN $phrases)
DELETE synonym
RETURN count(*) AS deleted
