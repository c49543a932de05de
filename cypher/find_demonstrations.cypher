// Find usable demonstrations by their keys.
// $datasets: list of text
// $keys: list of text, the keys of demonstrations
UNWIND $datasets AS dataset
UNWIND $keys AS key
MATCH (demonstration:Demonstration {dataset: dataset, key: key})
WHERE demonstration.state IN ['verified', 'runs']
RETURN dataset, demonstration.question AS question, demonstration.query AS query, demonstration.answers AS answers,
       demonstration.source AS source, demonstration.fields AS fields, demonstration.state AS state,
       demonstration.why AS why
