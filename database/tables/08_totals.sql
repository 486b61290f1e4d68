-- Sums of contributions per environment and day. Only count_contributions writes them, from the
-- events in the feeds. A cell has the contributions that are visible to the same callers: no link
-- of the environment starts or ends between the times of two of them.

CREATE TABLE contribution_totals (
  environment_id integer NOT NULL,
  basis text COLLATE "C" NOT NULL,
  day date NOT NULL,
  project_id integer NOT NULL,
  completed_by_environment_id integer NOT NULL,
  created_since timestamptz NOT NULL,
  completed_since timestamptz NOT NULL,
  contributions bigint NOT NULL,
  amount_cents bigint NOT NULL,
  returned_cents bigint NOT NULL,
  CONSTRAINT contribution_totals_pkey
    PRIMARY KEY
    (environment_id, basis, day, project_id, completed_by_environment_id, created_since, completed_since),
  CONSTRAINT contribution_totals_basis_known CHECK (basis IN ('created', 'completed', 'value_date'))
);
COMMENT ON TABLE contribution_totals IS
  'sums of contributions per UTC day of creation, UTC day of completion, and value date';
COMMENT ON COLUMN contribution_totals.completed_by_environment_id IS '0 for pending contributions';
COMMENT ON COLUMN contribution_totals.created_since IS
  'the last start or end of a link at or before the creation of these contributions; -infinity without one';
COMMENT ON COLUMN contribution_totals.completed_since IS
  'the same for their completion; -infinity for pending contributions';

CREATE TABLE contribution_totals_counted (
  environment_id integer NOT NULL,
  sequence bigint NOT NULL,
  CONSTRAINT contribution_totals_counted_pkey PRIMARY KEY (environment_id)
);
COMMENT ON TABLE contribution_totals_counted IS 'the last event of each feed that is in contribution_totals';

CREATE TABLE contribution_totals_turn (
  only_row boolean NOT NULL DEFAULT true,
  complete_until timestamptz NOT NULL,
  CONSTRAINT contribution_totals_turn_pkey PRIMARY KEY (only_row),
  CONSTRAINT contribution_totals_turn_only_row CHECK (only_row)
);
COMMENT ON TABLE contribution_totals_turn IS
  'the time before which every creation, completion and return is in contribution_totals';
