// Add facts that their source does not have yet, and update the catalog's statistics.
// $groups: list of [number of source and relation, index of the file among the source's files or null for the
//          first, relation, names of qualifiers, facts, whether they are certainly new], a fact is
//          [id of the head, id of the tail, line, first day, last day, span, start and end as written, hyperedge's key,
//          whole cell]
UNWIND $groups AS group
MATCH (source)-[has:HAS]->()
USING INDEX SEEK has:HAS(number)
WHERE has.number = group[0]
CALL (group) {
  UNWIND group[4] AS row
  MATCH (head) WHERE id(head) = row[0]
  MATCH (tail) WHERE id(tail) = row[1]
  AND (group[5] OR NOT EXISTS {
    MATCH (head)-[existing:FACT]->(tail)
    // The sum keeps the planner from searching an index of all facts for each new one.
    WHERE existing.number + 0 = group[0]
      AND coalesce(existing.start, 0) = coalesce(row[3], 0) AND coalesce(existing.end, 0) = coalesce(row[4], 0)
      AND coalesce(existing.hyperedge, '') = coalesce(row[8], '')
  })
  CREATE (head)-[:FACT {number: group[0], file: group[1], line: row[2], relation: group[2],
                        start: row[3], end: row[4], span: row[5], start_text: row[6], end_text: row[7],
                        hyperedge: row[8], cell: row[9], head: head.hub, tail: tail.hub}]->(tail)
  RETURN count(*) AS facts, count(tail.number) AS numbers, count(tail.date_start) AS dates,
         count(coalesce(tail.number, tail.date_start)) AS values,
         min(tail.number) AS lowest, max(tail.number) AS highest,
         min(tail.date_start) AS earliest, max(tail.date_end) AS latest,
         count(row[3]) AS held, min(row[3]) AS first, max(CASE WHEN row[4] < 100000000000 THEN row[4] ELSE row[3] END) AS last,
         [name IN collect(DISTINCT left(CASE WHEN tail:Name OR NOT tail:Entity THEN tail.name END, 100))[..5] WHERE name <> ''] AS samples
}
SET source.facts = source.facts + facts,
    has.facts = has.facts + facts,
    has.numbers = coalesce(has.numbers, 0) + numbers, has.dates = coalesce(has.dates, 0) + dates,
    has.values = coalesce(has.values, 0) + values, has.held = coalesce(has.held, 0) + held,
    has.lowest = CASE WHEN has.lowest <= lowest THEN has.lowest ELSE coalesce(lowest, has.lowest) END,
    has.highest = CASE WHEN has.highest >= highest THEN has.highest ELSE coalesce(highest, has.highest) END,
    has.earliest = CASE WHEN has.earliest <= earliest THEN has.earliest ELSE coalesce(earliest, has.earliest) END,
    has.latest = CASE WHEN has.latest >= latest THEN has.latest ELSE coalesce(latest, has.latest) END,
    has.first = CASE WHEN has.first <= first THEN has.first ELSE coalesce(first, has.first) END,
    has.last = CASE WHEN has.last >= last THEN has.last ELSE coalesce(last, has.last) END,
    has.samples = CASE
      WHEN size(coalesce(has.samples, [])) >= 5 THEN has.samples
      ELSE (coalesce(has.samples, []) + [name IN samples WHERE NOT name IN coalesce(has.samples, [])])[..5]
    END
WITH has, group, facts
SET has.qualifiers = CASE
      WHEN size(group[3]) = 0 THEN has.qualifiers
      ELSE coalesce(has.qualifiers, []) + [name IN group[3] WHERE NOT name IN coalesce(has.qualifiers, [])]
    END
RETURN sum(facts) AS facts
