// List the groups of datasets that a dataset belongs to.
// $dataset: text
MATCH (member:GroupMember {dataset: $dataset})
WHERE member.group IS NOT NULL // uses the index
RETURN member.group AS name ORDER BY name
