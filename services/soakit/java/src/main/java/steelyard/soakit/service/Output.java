package steelyard.soakit.service;

/** Where an answer writes its elements. */
interface Output {

  void open(String name);

  void leaf(String name, Object value);

  void close();
}
