package steelyard.rmi;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a job asks for that this driver does not do, or that contradicts itself. */
final class Check {

  private static final int MOST_USERS = 1000; // a thread each
  private static final Set<String> KINDS_OF_WAITING = Set.of("continue", "wait", "end");

  private Check() {}

  static void check(Job job) throws Refusal {
    refuse(!job.sessions().isEmpty(), "sessions");
    refuse(job.connection().equals("per-request"), "a connection for each request");
    refuse(job.share().of() > 1, "a share of a load");
    refuse(job.secondsHistograms(), "a histogram of each second");
    refuse(job.logRequests(), "a log of all requests");
    require(job.targets() != null && !job.targets().isEmpty(), "the job has no targets");
    require(job.slices() != null && !job.slices().isEmpty(), "the job has no slices");
    require(job.rules() != null && job.corpus() != null, "the job lacks its rules or its corpus");
    require(
        KINDS_OF_WAITING.contains(job.onFailure().kind()),
        "on_failure may be continue, wait or end, not " + job.onFailure().kind());
    require(job.timeoutMs() > 0 && job.drainLimitMs() >= 0, "the job's times are none");
    var subjects = new HashSet<String>();
    for (Job.Target target : job.targets()) {
      target(target);
      require(subjects.add(target.subject()), target.subject() + " is named as two targets");
    }
    var numbers = new HashSet<Long>();
    for (Job.Slice slice : job.slices()) {
      slice(slice, subjects);
      require(numbers.add(slice.number()), "slice " + slice.number() + " is listed twice");
    }
  }

  private static void target(Job.Target target) throws Refusal {
    String at = "target " + target.subject();
    require(
        target.rmi() != null,
        at + " is not asked by RMI, and by nothing else does this driver ask");
    require(
        target.host() != null && target.port() != null,
        at + " needs a host and a port, and no url");
    refuse(target.secure(), "TLS, which " + at + " wants");
    refuse(target.http2() != null && !target.http2().isNull(), "HTTP/2, which " + at + " wants");
    refuse(
        target.redirects() != null && !target.redirects().isNull(),
        "redirects, which " + at + " wants");
    boolean headers =
        target.headers() != null
            && target.headers().keySet().stream().anyMatch(name -> !ofMessages(name));
    require(!headers, at + " has headers, and a call by RMI has none");
  }

  /** Whether a header says of messages what is understood of itself. */
  private static boolean ofMessages(String name) {
    return name.equalsIgnoreCase("Content-Type");
  }

  /** A rule that judges calls. */
  static void rule(String name, Job.Rule rule) throws Refusal {
    boolean alone = rule.length() == null || rule.length().isNull();
    require(
        alone && rule.sha256() == null && rule.matches() == null,
        "rule "
            + name
            + " judges bytes of an answer, and an answer by RMI is values: `contains` alone judges those");
    require(
        !"present".equals(rule.fault()),
        "rule " + name + " expects a fault, which no call is made for here");
    require(
        rule.events() == null,
        "rule " + name + " expects events, and an answer by RMI comes as a whole");
    require(
        rule.status() == null || rule.status().equals(List.of(200)),
        "rule " + name + " expects a status, and a call by RMI has none");
  }

  private static void slice(Job.Slice slice, Set<String> subjects) throws Refusal {
    String at = "slice " + slice.number();
    require(subjects.contains(slice.subject()), at + " names no target: " + slice.subject());
    Job.Profile profile = slice.profile();
    require(
        profile != null && slice.mix() != null && !slice.mix().isEmpty(),
        at + " lacks its profile or its mix");
    require(
        "big-bang".equals(profile.kind()),
        at
            + " is a load of kind "
            + profile.kind()
            + "; this driver drives steady users alone (big-bang)");
    require(
        profile.users() >= 1 && profile.users() <= MOST_USERS,
        at
            + " has "
            + profile.users()
            + " users; this driver has a thread for each, and at most "
            + MOST_USERS);
    require(profile.seconds() > 0, at + " lasts no time");
    refuse(
        slice.think() != null && !"none".equals(slice.think().kind()),
        "pauses, which " + at + " wants");
    for (var weight : slice.mix().entrySet()) {
      require(weight.getValue() > 0, at + " weighs " + weight.getKey() + " by nothing");
    }
  }

  private static void refuse(boolean asked, String what) throws Refusal {
    require(!asked, "this driver does not know " + what);
  }

  private static void require(boolean kept, String sentence) throws Refusal {
    if (!kept) {
      throw new Refusal(sentence);
    }
  }
}
