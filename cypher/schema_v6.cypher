// The name of a group of datasets is unique.
CREATE CONSTRAINT tuqa_dataset_group IF NOT EXISTS FOR (group:DatasetGroup) REQUIRE group.name IS UNIQUE;

// A dataset is in a group once.
CREATE CONSTRAINT tuqa_group_member IF NOT EXISTS FOR (member:GroupMember) REQUIRE (member.dataset, member.group) IS UNIQUE;
