package steelyard.rmi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import steelyard.rmi.sample.Item;
import steelyard.rmi.sample.Sample;

/** Values between JSON and Java, and what is looked for in them. */
class ValuesTest {

  record Values(
      float real, BigDecimal amount, LocalDate day, byte[] bytes, Item none, List<String> texts) {}

  interface Typed {
    void take(float real, byte[] bytes, Item item);
  }

  private static final Method TAKE = Typed.class.getMethods()[0];

  @Test
  void argumentsHaveTheirTypesAndOneThatLacksIsNull() throws Exception {
    Object[] arguments = Contract.arguments(TAKE, "{\"bytes\":\"AP8=\",\"real\":\"NaN\"}");
    assertThat(arguments[0]).isEqualTo(Float.NaN);
    assertThat((byte[]) arguments[1]).containsExactly(0, -1);
    assertThat(arguments[2]).isNull();
  }

  @Test
  void whatIsNotExactlyARequestIsRefused() {
    for (String body :
        List.of(
            "",
            "[]",
            "{",
            "{\"real\":1} 2",
            "{\"real\":null}",
            "{}",
            "{\"real\":1,\"x\":2}",
            "{\"real\":\"much\"}")) {
      assertThatThrownBy(() -> Contract.arguments(TAKE, body)).as(body).isInstanceOf(Refusal.class);
    }
  }

  @Test
  void anAnswerIsWrittenByItsTypes() {
    var values =
        new Values(
            Float.NEGATIVE_INFINITY,
            new BigDecimal("12.50"),
            LocalDate.of(2004, 2, 29),
            new byte[] {-1},
            null,
            List.of("a"));
    assertThat(new String(Contract.written(values)))
        .isEqualTo(
            "{\"real\":\"-Infinity\",\"amount\":12.50,\"day\":\"2004-02-29\",\"bytes\":\"/w==\",\"texts\":[\"a\"]}");
    assertThat(new String(Contract.written(null))).isEqualTo("null");
  }

  @Test
  void aTextIsFoundHoweverDeepItLies() {
    Item nested = null;
    for (int i = 0; i < 100_000; i++) {
      nested = new Item(i, i == 0 ? "the mark" : "", nested);
    }
    assertThat(Texts.contains(new Item[] {null, nested}, "mark")).isTrue();
    assertThat(Texts.contains(new Item[] {null, nested}, "Mark")).isFalse();
    assertThat(Texts.contains(null, "mark")).isFalse();
    assertThat(Texts.contains(List.of(1, List.of("a mark")), "mark")).isTrue();
  }

  @Test
  void aMethodsNumberIsThatOfTheSpecification() throws Exception {
    // As rmic and the runtime have it: of java.rmi.registry.Registry's `String[] list()`.
    Method list = java.rmi.registry.Registry.class.getMethod("list");
    assertThat(MethodNumber.of(list)).isEqualTo(2571371476350237748L);
  }

  @Test
  void everyHandHoldsTheMixAndAllRequestsAreUsedAlike() {
    var mix = new java.util.LinkedHashMap<>(Map.of("a", 3.0));
    mix.put("b", 1.0);
    List<Entry> three = List.of(entry(0), entry(1), entry(2));
    var deck = new Deck(mix, List.of(three, List.of(entry(3))), 5);
    assertThat(deck.hand()).isEqualTo(4);
    var uses = new int[4];
    for (int i = 0; i < 4 * 3 * 64; i++) {
      uses[deck.entry(deck.draw()).number()]++;
    }
    assertThat(uses).containsExactly(192, 192, 192, 192);
  }

  private static Entry entry(int number) {
    return new Entry(number, "x", TAKE, new Object[0], null);
  }

  @Test
  void aHistogramIsReadAgainAsItWasWritten() throws Exception {
    Histogram histogram = Histograms.ofMicroseconds();
    Histograms.record(histogram, 1_499_600);
    Histograms.record(histogram, 0);
    byte[] bytes = java.util.Base64.getDecoder().decode(Histograms.encoded(histogram));
    Histogram read = Histogram.decodeFromCompressedByteBuffer(java.nio.ByteBuffer.wrap(bytes), 1);
    assertThat(read.getTotalCount()).isEqualTo(2);
    assertThat(read.getMaxValue()).isEqualTo(read.highestEquivalentValue(1500));
    assertThat(read.getMinValue()).isEqualTo(1);
  }

  @Test
  void aPathNamesTheObjectAndTheMethod() throws Exception {
    assertThat(Contract.name("/Sample/echo")).isEqualTo("Sample");
    assertThat(Sample.class.getMethods()).hasSize(6);
  }

  @Test
  void aLineAsksForOneThing() {
    assertThat(Control.parse("{\"go\":3}")).isEqualTo(new Control.Go(3, 0));
    assertThat(Control.parse("{\"go\":3,\"at_ns\":5}")).isEqualTo(new Control.Go(3, 5));
    assertThat(Control.parse("{\"prepare\":3}")).isEqualTo(new Control.Prepare(3));
    assertThat(Control.parse("{\"enough\":3,\"at_s\":7}")).isEqualTo(new Control.Enough(3, 7));
    for (String line :
        List.of(
            "",
            "{}",
            "go 3",
            "{\"go\":1,\"fast\":true}",
            "{\"go\":1,\"enough\":1}",
            "{\"stop\":1}",
            "{\"turns\":{\"slices\":[1],\"ms\":20}}")) {
      assertThat(Control.parse(line)).as(line).isInstanceOf(Control.Wrong.class);
    }
  }
}
