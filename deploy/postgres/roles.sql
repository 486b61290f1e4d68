-- Runs once, as the superuser, while the database volume is empty. docs/operations/install.md explains
-- the three roles.
\getenv owner_password CONTRIBUTION_OWNER_PASSWORD
\getenv service_password CONTRIBUTION_SERVICE_PASSWORD
CREATE ROLE contribution_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE contribution_service LOGIN PASSWORD :'service_password';
CREATE ROLE contribution_operator NOLOGIN;
CREATE DATABASE contribution_service OWNER contribution_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE TEMPORARY ON DATABASE contribution_service FROM PUBLIC;
-- Keeps the values of rows and parameters out of PostgreSQL's log.
ALTER ROLE contribution_service SET log_error_verbosity = 'terse';
ALTER ROLE contribution_service SET log_parameter_max_length = 0;
ALTER ROLE contribution_service SET log_parameter_max_length_on_error = 0;
-- Create a login for each operator: see "Operators" in docs/operations/install.md.
