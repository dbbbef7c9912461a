-- +goose Up
-- What a caller may see depends on the grants, the members of groups and the folders. Each change of them adds to this number,
-- by which a server knows whether rights that it has read still apply.
CREATE TABLE `rights_version` (`n` integer NOT NULL);
INSERT INTO `rights_version` VALUES (0);
-- +goose StatementBegin
CREATE TRIGGER `rights_version_grants_insert` AFTER INSERT ON `grants` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_grants_update` AFTER UPDATE ON `grants` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_grants_delete` AFTER DELETE ON `grants` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_memberships_insert` AFTER INSERT ON `memberships` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_memberships_update` AFTER UPDATE ON `memberships` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_memberships_delete` AFTER DELETE ON `memberships` BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_folder_insert` AFTER INSERT ON `entries` WHEN new.kind = 0 BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_folder_delete` AFTER DELETE ON `entries` WHEN old.kind = 0 BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER `rights_version_folder_update` AFTER UPDATE OF path, parent_id, kind, hidden ON `entries`
WHEN (old.kind = 0 OR new.kind = 0) AND (old.path <> new.path OR old.parent_id <> new.parent_id OR
  old.kind <> new.kind OR old.hidden <> new.hidden) BEGIN
  UPDATE `rights_version` SET n = n + 1;
END;
-- +goose StatementEnd
