package steelyard.wstest.rest;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.ws.rs.ext.ContextResolver;
import jakarta.ws.rs.ext.Provider;

/** One JSON Binding for all requests: where nobody gives one, some servers make one for each. */
@Provider
public class Binding implements ContextResolver<Jsonb> {

  private final Jsonb jsonb = JsonbBuilder.create();

  @Override
  public Jsonb getContext(Class<?> type) {
    return jsonb;
  }
}
