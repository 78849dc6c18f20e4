package steelyard.shop.spring.items;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import steelyard.shop.Item;
import steelyard.shop.Items;
import steelyard.shop.Parameters;
import steelyard.shop.Refusal;
import steelyard.shop.RefusalException;

/** Items for who looks at them. Ids are texts here: Spring's numbers may be hexadecimal. */
@RestController
@RequestMapping("/shop")
class ItemController {

  private final Catalogue catalogue;

  ItemController(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  @GetMapping("/items/{id}")
  Item item(@PathVariable String id) {
    return catalogue
        .find(Parameters.id(id))
        .orElseThrow(() -> new RefusalException(Refusal.NOT_FOUND));
  }

  @GetMapping("/items")
  Items items(@RequestParam String ids) {
    return new Items(catalogue.findAll(Parameters.ids(ids)));
  }

  @GetMapping("/search")
  Items search(@RequestParam("q") String keyword) {
    return new Items(catalogue.findCheapest(Parameters.keyword(keyword)));
  }
}
