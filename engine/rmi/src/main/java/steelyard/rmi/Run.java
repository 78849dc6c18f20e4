package steelyard.rmi;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A job, driven in step over standard input until that ends. */
final class Run {

  private final Job job;
  private final Output output;
  private final Map<String, Target> targets = new LinkedHashMap<>();
  private final Map<Long, Job.Slice> left = new HashMap<>();
  private final Map<Long, SliceRun> prepared = new HashMap<>();
  private final BlockingQueue<Control.Asked> asked = new LinkedBlockingQueue<>();

  Run(Path file, Path folder, PrintStream out) throws Refusal, IOException {
    job = Job.read(file);
    Check.check(job);
    Path here = file.toAbsolutePath().getParent();
    var corpus = new Corpus(here.resolve(job.corpus()), job.rules());
    for (Job.Target declared : job.targets()) {
      targets.put(
          declared.subject(), new Target(declared, corpus, Math.round(job.timeoutMs() * 1e6)));
    }
    for (Job.Slice slice : job.slices()) {
      left.put(slice.number(), slice);
      for (String kind : slice.mix().keySet()) {
        targets.get(slice.subject()).entries(kind);
      }
    }
    Filter.set(targets.values().stream().map(Target::contract).toList());
    var addresses = new HashSet<InetSocketAddress>();
    targets.values().forEach(target -> addresses.add(target.address()));
    Caller.keepTo(addresses, Math.round(job.timeoutMs() * 1e6));
    output = new Output(folder, job, out);
  }

  /** Obeys lines until there are no more; raises Refusal for one that cannot be obeyed. */
  void obey(InputStream in) throws Refusal, IOException, InterruptedException {
    Control.readInBackground(in, asked);
    output.say(Map.of("ready", true));
    while (true) {
      switch (asked.take()) {
        case Control.Prepare line -> {
          prepared.put(line.slice(), ready(line.slice()));
          output.say(Map.of("prepared", line.slice()));
        }
        case Control.Go line -> go(line);
        case Control.Enough line -> {} // it has ended by itself
        case Control.Wrong line -> throw new Refusal(line.why());
        case Control.InputEnded line -> {
          return;
        }
      }
    }
  }

  private void go(Control.Go line) throws Refusal, IOException {
    SliceRun made = prepared.remove(line.slice());
    SliceRun run = made == null ? ready(line.slice()) : made;
    output.slice(run.run(line.at()));
    output.say(Map.of("drained", line.slice()));
  }

  private SliceRun ready(long number) throws Refusal {
    Job.Slice slice = left.remove(number);
    if (slice == null) {
      throw new Refusal("slice " + number + " is not listed, or was run before");
    }
    return new SliceRun(job, slice, targets.get(slice.subject()), output, asked);
  }
}
