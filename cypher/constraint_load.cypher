// The loads of a dataset are numbered.
CREATE CONSTRAINT tuqa_dataset_load IF NOT EXISTS FOR (load:Load) REQUIRE (load.dataset, load.number) IS UNIQUE
