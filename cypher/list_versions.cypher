// List the versions of datasets that readers do not see: those that are being loaded, and those that had their time.
// $dataset: text, or null for all datasets
MATCH (version:Dataset)
WHERE version.version_of IS NOT NULL AND ($dataset IS NULL OR version.version_of = $dataset)
RETURN version.name AS name, coalesce(version.storage, version.name) AS storage, version.version_of AS dataset,
       version.state AS state, version.facts AS facts,
       version.cleaner AS cleaner,
       CASE WHEN version.outdated IS NOT NULL THEN datetime().epochMillis - version.outdated.epochMillis END AS age
ORDER BY name
