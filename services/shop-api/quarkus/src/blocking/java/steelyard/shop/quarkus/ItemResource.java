package steelyard.shop.quarkus;

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
  public Item item(@RestPath String id) {
    return items
        .findByIdOptional(Parameters.id(id))
        .map(ItemEntity::toItem)
        .orElseThrow(() -> new RefusalException(Refusal.NOT_FOUND));
  }

  @GET
  @Path("items")
  public Items items(@RestQuery String ids) {
    return answer(items.listByIds(Parameters.ids(ids)));
  }

  @GET
  @Path("search")
  public Items search(@RestQuery String q) {
    return answer(items.findCheapest(Parameters.keyword(q)));
  }

  private static Items answer(List<ItemEntity> found) {
    return new Items(found.stream().map(ItemEntity::toItem).toList());
  }
}
