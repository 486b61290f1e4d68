import type { Pool } from 'pg';

/** Makes faults expire as soon as a request arms them, so that they affect no later request. */
export async function endArmedFaults(admin: Pool): Promise<void> {
  await admin.query(`
    CREATE FUNCTION end_sandbox_fault() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.expires_at := NEW.armed_at;
      RETURN NEW;
    END $$;
    CREATE TRIGGER end_sandbox_fault BEFORE INSERT ON sandbox_faults
      FOR EACH ROW EXECUTE FUNCTION end_sandbox_fault()`);
}
