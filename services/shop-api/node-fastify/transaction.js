// Transactions that begin again when another one overtook them.

const SERIALIZATION_FAILURE = '40001'; // SQLSTATE

/**
 * What `work` gives on a connection, in a transaction that an error of it undoes. It begins again as often as PostgreSQL ends the
 * transaction for its isolation.
 */
export async function inTransaction(pool, work) {
  const client = await pool.connect();
  try {
    for (;;) {
      try {
        return await transaction(client, work);
      } catch (error) {
        if (error.code !== SERIALIZATION_FAILURE) throw error;
      }
    }
  } finally {
    client.release();
  }
}

async function transaction(client, work) {
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}
