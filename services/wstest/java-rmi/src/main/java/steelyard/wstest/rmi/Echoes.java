package steelyard.wstest.rmi;

import java.util.concurrent.atomic.LongAdder;

/** WSTest: gives the arguments back, and counts the calls that reached it. */
final class Echoes implements WSTest {

  private static final int MOST_ORDER_ID = 999_999_999;

  private final LongAdder calls = new LongAdder();

  long calls() {
    return calls.sum();
  }

  @Override
  public void echoVoid() {
    calls.increment();
  }

  @Override
  public Struct[] echoStruct(Struct[] structs) {
    calls.increment();
    return structs;
  }

  @Override
  public ListItem echoList(ListItem list) {
    calls.increment();
    return list;
  }

  @Override
  public Synthetic echoSynthetic(String text, Struct struct, byte[] bytes) {
    calls.increment();
    return new Synthetic(text, struct, bytes);
  }

  @Override
  public PurchaseOrder getOrder(int orderId) {
    calls.increment();
    if (orderId < 0 || orderId > MOST_ORDER_ID) {
      throw new IllegalArgumentException("there is no such order");
    }
    return PurchaseOrders.order(orderId);
  }
}
