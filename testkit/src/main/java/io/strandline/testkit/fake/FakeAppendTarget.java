package io.strandline.testkit.fake;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.target.CheckFinding;
import io.strandline.target.MergeCounts;
import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Receipt;
import io.strandline.target.Repeats;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.TargetStanding;
import io.strandline.target.Verb;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.List;
import java.util.Set;

/**
 * A target in memory that only appends: a row that it is given twice stands there twice.
 *
 * <p>Strict by default: it refuses rows whose columns differ from its own, and a run's number that
 * was used already. Safe for use by several threads.
 */
public final class FakeAppendTarget implements MergeTarget<Rows> {
  private final String name;
  private final TargetTable table = new TargetTable();
  private final FakeQuarantine quarantine;

  private FakeAppendTarget(String name) {
    this.name = name;
    this.quarantine = FakeQuarantine.named(name + "_quarantine");
  }

  /**
   * Makes a target over a table that does not exist yet; the first run makes it.
   *
   * @param name the name
   * @return the target
   */
  public static FakeAppendTarget named(String name) {
    return new FakeAppendTarget(name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String declaration() {
    return "appended";
  }

  @Override
  public Repeats repeats() {
    return Repeats.APPENDED;
  }

  @Override
  public FakeQuarantine quarantine() {
    return quarantine;
  }

  @Override
  public TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    synchronized (table) {
      return table.standing(identity, lastSeen);
    }
  }

  @Override
  public StagedMerge<Rows> stage(StageRequest<Rows> request) {
    Rows held = rows();
    CheckedRows checked = CheckedRows.of(request.accepted(), request.rejected(), row -> true, "");
    Rows accepted = checked.accepted();

    if (!accepted.isEmpty()
        && !held.columns().isEmpty()
        && !Set.copyOf(held.columns()).equals(Set.copyOf(accepted.columns()))) {
      throw new Problem(
          ProblemKind.SCHEMA_MISMATCH,
          "append rows to " + name,
          "the target has the columns "
              + String.join(", ", held.columns())
              + ", the cleaned rows have "
              + String.join(", ", accepted.columns()),
          "Give the rows the target's columns in the cleaner.");
    }

    return new Staged(checked);
  }

  /** Rows that wait to be appended. */
  private final class Staged implements StagedMerge<Rows> {
    private final CheckedRows checked;
    private final Rows accepted;

    private Staged(CheckedRows checked) {
      this.checked = checked;
      this.accepted = checked.accepted();
    }

    @Override
    public long accepted() {
      return accepted.size();
    }

    @Override
    public long rejectedRows() {
      return rejected().stream().mapToLong(Rows::size).sum();
    }

    @Override
    public List<Rows> rejected() {
      return checked.rejected();
    }

    @Override
    public List<CheckFinding> warned() {
      return checked.warned();
    }

    @Override
    public List<CheckFinding> failed() {
      return checked.failed();
    }

    @Override
    public MergeOutcome merge(Receipt receipt) {
      synchronized (table) {
        long last = table.standing(receipt.identity(), TableSnapshot.unknown()).number();

        if (receipt.number() <= last) {
          throw new Problem(
              ProblemKind.CONCURRENT_RUN,
              "append rows to " + name,
              "run " + last + " has committed already, and run " + receipt.number() + " came",
              "Run the load again.");
        }

        boolean overwrites = receipt.verb() == Verb.RELOAD;

        if (accepted.isEmpty() && !receipt.moves() && !overwrites) {
          return new MergeOutcome.NothingToDo(MergeCounts.none(), table.snapshot());
        }

        Rows held = table.rows();
        Rows kept = overwrites ? held.filter(row -> false) : held;
        table.commitRun(
            overwrites ? "OVERWRITE" : "APPEND",
            kept.columns().isEmpty() ? accepted : kept.concat(accepted),
            receipt);
        return new MergeOutcome.Committed(
            new MergeCounts(accepted.size(), 0, 0, 0, 0, 0), table.snapshot());
      }
    }
  }

  /** Returns every row that the target holds. */
  public Rows rows() {
    synchronized (table) {
      return table.rows();
    }
  }

  /** Returns every commit, oldest first. */
  public List<FakeCommit> commits() {
    synchronized (table) {
      return table.commits();
    }
  }

  /**
   * Appends rows as somebody else, which is everybody's right.
   *
   * @param rows the rows
   */
  public void put(Rows rows) {
    synchronized (table) {
      Rows held = table.rows();
      table.commit("APPEND", held.columns().isEmpty() ? rows : held.concat(rows));
    }
  }

  /** Forgets all receipts but not the numbers, as a cleaned log does. */
  public void forgetReceipts() {
    synchronized (table) {
      table.forgetReceipts();
    }
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }
}
