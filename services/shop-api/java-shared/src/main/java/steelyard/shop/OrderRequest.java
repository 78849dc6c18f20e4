package steelyard.shop;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.Comparator;
import java.util.List;

/** An order as a customer sends it. */
public record OrderRequest(
    @NotNull @Pattern(regexp = Texts.UP_TO_100) String customer,
    @NotNull @Size(min = 1, max = 10) List<@NotNull @Valid Line> lines) {

  /** How much is wanted of an item. */
  public record Line(@NotNull @Min(1) Long item, @NotNull @Min(1) @Max(100) Long quantity) {}

  /**
   * The lines of a valid request by ascending item, the order in which all orders lock them.
   *
   * @throws RefusalException NOT_VALID where two lines have the same item
   */
  public List<Line> linesByItem() {
    List<Line> sorted = lines.stream().sorted(Comparator.comparing(Line::item)).toList();
    for (int i = 1; i < sorted.size(); i++) {
      if (sorted.get(i).item().equals(sorted.get(i - 1).item())) {
        throw new RefusalException(Refusal.NOT_VALID);
      }
    }
    return sorted;
  }
}
