CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, bundlepath TEXT, skiprange TEXT, version TEXT,
                             replaces TEXT, skips TEXT, substitutesfor TEXT);
CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT, add_mode INTEGER);
CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT, PRIMARY KEY(name, package_name));
CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT, operatorbundle_name TEXT,
                            replaces INTEGER, depth INTEGER);
CREATE TABLE properties (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT, operatorbundle_path TEXT);
CREATE TABLE dependencies (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT, operatorbundle_path TEXT);
CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT);
INSERT INTO package VALUES ('hello', 'stable', 0);
INSERT INTO channel VALUES ('stable', 'hello', 'hello.v1.0.0');
INSERT INTO operatorbundle (name, bundle, bundlepath, version) VALUES 
    ('hello.v1.0.0', '{"kind": "ClusterServiceVersion", "metadata": {"name": "hello.v1.0.0"}}', 'registry.example/hello:1', '1.0.0');
INSERT INTO channel_entry VALUES (1, 'stable', 'hello', 'hello.v1.0.0', NULL, 0);
INSERT INTO properties (type, value, operatorbundle_name) VALUES
    ('olm.package', '{"packageName":"hello","version":"1.0.0"}', 'hello.v1.0.0');
