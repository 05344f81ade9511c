#!/bin/sh
# Runs once, when the database is made: the user of processes that only route. `migrate` gives it its rights.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$(cat /run/secrets/router-password)" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
CREATE ROLE pawl_router LOGIN PASSWORD :'password' CONNECTION LIMIT 44;
SQL
