package steelyard.shop.quarkus;

import io.quarkus.hibernate.reactive.panache.common.WithSession;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.RestQuery;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Parameters;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

@Path("/shop")
@Produces(MediaType.APPLICATION_JSON)
public class ItemResource {

  private final ItemRepository items;

  ItemResource(ItemRepository items) {
    this.items = items;
  }

  @GET
  @Path("items/{id}")
  @WithSession
  public Uni<Item> item(@RestPath String id) {
    return items
        .findById(Parameters.id(id))
        .onItem()
        .ifNull()
        .failWith(() -> new RefusalException(Refusal.NOT_FOUND))
        .map(ItemEntity::toItem);
  }

  @GET
  @Path("items")
  @WithSession
  public Uni<Items> items(@RestQuery String ids) {
    return items.listByIds(Parameters.ids(ids)).map(ItemResource::answer);
  }

  @GET
  @Path("search")
  @WithSession
  public Uni<Items> search(@RestQuery String q) {
    return items.findCheapest(Parameters.keyword(q)).map(ItemResource::answer);
  }

  private static Items answer(List<ItemEntity> found) {
    return new Items(found.stream().map(ItemEntity::toItem).toList());
  }
}
