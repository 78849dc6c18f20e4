//! Records a slice while it runs, and writes the tables and logs afterwards.

mod counts;
mod endings;
mod hlog;
mod lateness;
mod recorder;
mod samples;
mod tables;

pub use counts::{Counts, OperationRecord, Outcomes, SessionRecord, histogram_us};
pub use endings::{Ending, Endings, When};
pub use hlog::HistogramLog;
pub use lateness::Lateness;
pub use recorder::{Edges, Exchange, Logged, Recorder, TickPart};
pub use samples::{Sample, SampleAllowance, SampleFolder, SampleKeeper};
pub use tables::{OutcomeTable, RequestTable, SessionSums, SliceRow, SliceTable, SubjectCpu, TickRow, TickTable};
