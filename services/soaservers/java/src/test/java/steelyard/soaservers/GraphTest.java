package steelyard.soaservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphTest {

  @Test
  void graphOfTheContractIsRead() throws Exception {
    try (var file = Files.newInputStream(Path.of("../contract/graph.xml"))) {
      Graph graph = Graph.read(file);

      assertThat(graph.services()).hasSize(10);
      assertThat(graph.entry()).isEqualTo(new Node("s1", List.of("s2", "s3", "s4"), true));
      assertThat(graph.services().get("s2").parallel()).isFalse();
      assertThat(graph.services().get("s10").calls()).isEmpty();
      assertThat(graph.position("s10")).isEqualTo(10);
    }
  }

  @Test
  void everyServiceOfTheContractHasAnAddress() {
    Services services = Services.of(Graph.chosen());

    assertThat(services.address("left")).isEqualTo("Left");
    assertThat(services.address("s2")).isEqualTo("Callee2");
    assertThat(services.byAddress().get("Callee10").name()).isEqualTo("s10");
    assertThat(services.address("s11")).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<service name='a' calls='b'/>                              | a | a calls b, which is no",
        "<service name='a' calls='b'/><service name='b' calls='a'/> | a | a calls itself through [a, b]",
        "<service name='a'/>                                        | z | entry 'z' is no service",
        "<service name='a'/><service name='a'/>                     | a | two services a",
        "<                                                          | a | not XML"
      })
  void wrongGraphIsRefused(String services, String entry, String said) {
    String open = "<graph xmlns='urn:steelyard:soaservers:graph' entry='" + entry + "'>";

    assertThatThrownBy(() -> read(open + services + "</graph>"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(said);
  }

  @Test
  void documentTypeIsRefused() {
    assertThatThrownBy(() -> read("<!DOCTYPE g [<!ENTITY e 'x'>]><g/>"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("DOCTYPE");
  }

  private static Graph read(String text) throws Exception {
    return Graph.read(new ByteArrayInputStream(text.getBytes()));
  }
}
