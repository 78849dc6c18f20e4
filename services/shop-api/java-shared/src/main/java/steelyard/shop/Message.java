package steelyard.shop;

import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.List;

/** What echo is asked and, once it is valid, answers. A missing key is null here, and not valid. */
public record Message(
    @NotNull @Pattern(regexp = Texts.UP_TO_100) String reference,
    @NotNull @Valid Customer customer,
    @NotNull @Size(min = 1, max = 50) List<@NotNull @Valid Line> lines,
    @NotNull Boolean gift,
    @NotNull @DecimalMin("0") @DecimalMax("100") Double discountPercent,
    @NotNull @Pattern(regexp = Texts.UP_TO_500_OR_EMPTY) String note) {

  /** Who sends it. */
  public record Customer(
      @NotNull @Pattern(regexp = Texts.UP_TO_100) String name,
      @NotNull @Pattern(regexp = Texts.UP_TO_200) @Pattern(regexp = Texts.EMAIL) String email,
      @NotNull @Valid Address address) {}

  /** Where the customer lives. */
  public record Address(
      @NotNull @Pattern(regexp = Texts.UP_TO_100) String street,
      @NotNull @Pattern(regexp = Texts.UP_TO_100) String city,
      @NotNull @Pattern(regexp = Texts.UP_TO_20) String postalCode,
      @NotNull @Pattern(regexp = Texts.COUNTRY) String country) {}

  /** One of its lines. */
  public record Line(
      @NotNull @Pattern(regexp = Texts.UP_TO_30) String sku,
      @NotNull @Min(1) @Max(1000) Long quantity,
      @NotNull @Min(0) @Max(10_000_000) Long priceCents,
      @NotNull @Size(max = 8) List<@NotNull @Pattern(regexp = Texts.UP_TO_30) String> tags) {}
}
