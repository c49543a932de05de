// Names that are text are found by words like theirs, within a dataset.
CREATE FULLTEXT INDEX tuqa_name_text IF NOT EXISTS FOR (name:Name) ON EACH [name.name, name.dataset]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words', `fulltext.eventually_consistent`: true}}
