//! Tuning of the program: the heuristic constants and thresholds of its commands, answers and pictures (times, sizes, numbers of
//! entries), by area.
//!
//! A doc comment gives the unit, the reason, and the benchmark, test or model that pays for the value. Where it names none, the value
//! was not measured: it was chosen together with the code that reads it. Sizes of letters, colours and numbers of protocols are
//! facts and stay where they are used.

use std::time::Duration;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

bsym_language::tuning! {
    /// The numbers that steer the program.
    pub struct Tuning {
        /// What ends a run, and the processes of a race.
        race: Race = Race::DEFAULT,
        /// Work beside the engines and the searches, and how long it is waited for.
        beside: Beside = Beside::DEFAULT,
        /// Larger and smaller scopes than the one that was asked about.
        scopes: Scopes = Scopes::DEFAULT,
        /// Checkpoints, several machines, watching and sessions.
        sessions: Sessions = Sessions::DEFAULT,
        /// What a text lists, in characters, lines and entries; `--json` has all.
        listed: Listed = Listed::DEFAULT,
        /// The answers that are kept.
        cache: Cache = Cache::DEFAULT,
        /// The language server.
        server: Server = Server::DEFAULT,
        /// Drawings of graphs, with lengths in pixels.
        drawing: Drawing = Drawing::DEFAULT,
        /// Pages.
        page: Page = Page::DEFAULT,
        /// Pictures of states.
        snapshot: Snapshot = Snapshot::DEFAULT,
        /// The states near a trace.
        near: Near = Near::DEFAULT,
    }

    /// What ends a run, and the processes of a race (`race/`).
    pub struct Race {
        /// Longest time that the work may go on after the deadline: the answer has to be written within a second of
        /// it.
        after_deadline: Duration = ms(500),
        /// Longest time that the work may go on after an interrupt.
        after_interrupt: Duration = ms(1500),
        /// Longest time that the work may go on when memory is short, if it does not take much more.
        after_memory: Duration = ms(500),
        /// Longest time that the engines may go on when the answer is there already.
        after_decision: Duration = ms(300),
        /// Time in which a signal that follows another one is the same request: `timeout` of coreutils signals its
        /// child and then the whole group, so that one request arrives twice.
        same_request: Duration = ms(500),
        /// Time between two checks whether the run has to end.
        tick: Duration = ms(20),
        /// The same when more than half of the memory is in use.
        short_tick: Duration = ms(3),
        /// Divisor of the memory limit: the work may take this part of the limit after a request to stop, before it
        /// is ended at once.
        excess: u64 = 12,
        /// Bytes that may be taken then whatever the limit is.
        least_excess: u64 = 16 << 20,
        /// Bytes of standard error that are kept.
        complaint: u64 = 4096,
        /// Crashes after which a question is given up.
        attempts: u64 = 2,
        /// Time between two checks whether a process has ended.
        process_tick: Duration = ms(2),
        /// Longest time between two checks whether the run has to end.
        contestant_tick: Duration = ms(5),
        /// Time in which a contestant may still give an answer after the run was stopped.
        last_words: Duration = ms(300),
        /// Bytes of the stack of a run: formulas may nest deeply, and the pages of a stack cost nothing before they
        /// are used.
        stack: usize = 1 << 30,
    }

    /// Work beside the engines and the searches, and how long it is waited for (`commands/`).
    pub struct Beside {
        /// Bytes that the search may use where the user sets no limit.
        memory: u64 = 2 << 30,
        /// Longest search for axioms that contradict each other, once no valuation is known to exist.
        explanation: Duration = ms(8000),
        /// Head start of the engines before the comparison begins.
        comparison_head_start: Duration = ms(150),
        /// Time that the rest of the run waits silently, before it says what it waits for.
        silence: Duration = ms(5000),
        /// Time between two checks whether the comparison has to end.
        comparison_tick: Duration = ms(10),
        /// Head start of the first encoding before the second one begins.
        encoding_head_start: Duration = ms(250),
        /// Least time that the second one is waited for after the first one has given up, where the user sets no
        /// limit.
        encoding_patience: Duration = ms(2000),
        /// Work of the engines before the first turn of the others.
        first_turn: Duration = ms(250),
        /// States in the first turn of the search; as long as that of the engines on most machines.
        first_states: usize = 10_000,
        /// Least work of the second encoding after the engines on the first one have given up, where the user sets no
        /// limit.
        turn_patience: Duration = ms(2000),
        /// Least time that a search gets to turn a proof with conditions into an answer.
        race_patience: Duration = ms(2000),
        /// Least time for a proof of a refinement where no limit is set.
        refinement_patience: Duration = ms(5000),
        /// Longest time for which a search waits for the vetting of a status; at most a quarter of the time that is
        /// left.
        vetting: Duration = ms(5000),
        /// Longest time for one obligation of a status that is computed before a run.
        obligation: Duration = ms(2000),
    }

    /// Larger and smaller scopes than the one that was asked about (`commands/enlarge.rs`, `commands/explicit.rs`).
    pub struct Scopes {
        /// Longest time for the trial of larger scopes; at most half of the time that is left.
        trials: Duration = ms(10_000),
        /// Longest time for the trial of one of them.
        trial: Duration = ms(2000),
        /// Longest time for the core of contradicting axioms.
        core: Duration = ms(5000),
        /// Number of times that an unconfirmed question about the core is asked.
        attempts: usize = 2,
        /// Longest search of a small scope before the one that was asked about.
        small: Duration = ms(2000),
        /// Longest time for checking a violation against the definition in another scope.
        repeated: Duration = ms(1000),
        /// Longest time for checking a violation of a simulation against the definition.
        simulated: Duration = ms(2000),
        /// Longest time for the question whether a search that is continued was one in a larger scope.
        resumed: Duration = ms(2000),
        /// Largest size of the sets in which a proof for any size is checked again, from one element on: a solver may take a set
        /// of any size for an infinite one.
        confirmed: usize = 4,
    }

    /// Checkpoints, several machines, watching and sessions (`commands/`).
    pub struct Sessions {
        /// Factor of the time for stopping that writing a checkpoint may take after a limit.
        checkpoint_patience: u32 = 60,
        /// Time between two checkpoints of a search.
        checkpoint: Duration = ms(120_000),
        /// Time between two checks for an interrupt while several machines run.
        many_tick: Duration = ms(20),
        /// Factor of the time for stopping after which a process of several machines is ended: it ends within its own
        /// time after a limit or an interrupt, and its row is read after that.
        many_patience: u32 = 3,
        /// Time between two looks at the process.
        watch_tick: Duration = ms(50),
        /// Time in which changes of files count as one.
        together: Duration = ms(100),
        /// Time in which a file that is gone may come back: editors write a new one in its place.
        comes_back: Duration = ms(700),
        /// Time between two looks at files about which the system reports nothing.
        look: Duration = ms(2000),
        /// Time that a run has to stop.
        stops: Duration = ms(3000),
        /// Time between two checks whether an evaluation has to end.
        eval_tick: Duration = ms(5),
        /// Deferred sets of more elements keep them without names.
        named: usize = 10_000,
        /// Lines that the history keeps.
        history: usize = 1_000,
        /// Most values for which a quantified formula is written out.
        quantified: usize = 1000,
        /// Most steps of one event that are listed.
        steps: usize = 30,
        /// Most steps of one event that a request lists by default.
        requested_steps: usize = 1_000,
        /// Most states that a search for a state visits.
        searched: usize = 20_000,
    }

    /// What a text lists, in characters, lines and entries; `--json` has all (`answer/`, `commands/`, `progress.rs`,
    /// `traces.rs`).
    pub struct Listed {
        /// Most depths that are written one by one.
        depths: usize = 12,
        /// Characters of a list of values above which it stands on several lines.
        values_line: usize = 100,
        /// Characters above which a text is folded if it is that of a set.
        folded_text: usize = 120,
        /// Elements from which on a set is folded.
        folded_set: usize = 9,
        /// Characters that are shown of a folded set.
        folded_shown: usize = 60,
        /// Most parts that are not checked that a line names.
        not_checked: usize = 3,
        /// Obligations of a status that are listed.
        recorded: usize = 20,
        /// Reasons that are given for each kind of obligation.
        recorded_reasons: usize = 3,
        /// Abstract states that are shown beside a state.
        abstract_states: usize = 3,
        /// Characters of a choice that are shown.
        choice: usize = 60,
        /// Most entries of an imported status that are listed one by one.
        status: usize = 12,
        /// Obligations that a line about stronger invariants names.
        strengthened: usize = 6,
        /// Pairs of an event and a property that it breaks, where there is no proof.
        gaps: usize = 3,
        /// Lemmas that are nearly inductive.
        near: usize = 3,
        /// Steps at each end of a long path that are written.
        path_end: usize = 2,
        /// Least number of steps of a path that are left out.
        path_hidden: usize = 3,
        /// Most elements that a warning lists.
        warned: usize = 5,
        /// Most properties without an answer that are listed one by one after a violation.
        undecided: usize = 3,
        /// Least bytes of memory that a command which is shown as advice sets.
        advised_memory: u64 = 64 << 20,
        /// Most commands that are shown as advice.
        advice: usize = 3,
        /// Names of disabled events that are listed.
        disabled: usize = 12,
        /// Characters of a reason that are shown.
        reason: usize = 160,
        /// Most steps that are offered where a trace goes wrong.
        offered: usize = 8,
        /// Lines around a change.
        context: usize = 3,
        /// Depths that are reported: the first ones show how a path grows.
        progress: usize = 256,
        /// Most steps that are written for a trace that leaves rounds of a cycle out.
        written_steps: usize = 10_000,
    }

    /// The answers that are kept (`cache/store.rs`).
    pub struct Cache {
        /// Bytes of all answers, where the environment says nothing else.
        limit: u64 = 256 << 20,
        /// Divisor: an answer that takes more than this part of all is not worth keeping.
        largest: u64 = 16,
        /// Answers of one key: branches of a repository that a user goes to and fro between.
        variants: usize = 8,
        /// Folders of answers that are looked at after each run, to see whether all take too much: to look at 8,700
        /// took 60 ms, longer than most of the runs of `benches/before_after` on `table1`.
        sample: usize = 256,
    }

    /// The language server (`lsp/`).
    pub struct Server {
        /// Time that the texts rest before a check begins.
        rest: Duration = ms(500),
        /// Findings that are kept.
        known: usize = 64,
        /// Letters of a conjunct that are shown if several share a line.
        conjunct: usize = 24,
        /// Time between two checks for Ctrl-C while no message comes in.
        tick: Duration = ms(200),
        /// Bytes of a stack for the trees of deep formulas.
        stack: usize = 64 << 20,
        /// Tokens to look back at most: an open parenthesis that is farther away is a mistake.
        farthest: usize = 2_000,
        /// Files that are read at most.
        files: usize = 5_000,
        /// Symbols that are answered at most.
        symbols: usize = 500,
        /// Depth up to which folders are searched.
        folders: usize = 12,
    }

    /// Drawings of graphs, with lengths in pixels (`drawing/`, `commands/graph/`).
    pub struct Drawing {
        /// Space inside a cluster around its nodes.
        cluster_pad: f64 = 12.0,
        /// Height of the title of a cluster.
        cluster_title: f64 = 20.0,
        /// Least space between clusters; labels of arrows stand there.
        clusters: f64 = 70.0,
        /// Width from which on clusters go into a further line.
        wide: f64 = 1100.0,
        /// Most nodes of a column.
        column: usize = 8,
        /// Space between nodes of a column.
        column_gap: f64 = 14.0,
        /// Longest time for Graphviz: its network simplex takes hours for some graphs.
        graphviz: Duration = ms(10_000),
        /// Positions of a label on its curve that are tried, in this order.
        label_positions: [f64; 9] = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85],
        /// Side of a cell of the grid in which boxes are looked up, in pixels.
        label_cell: f64 = 128.0,
        /// Number of times that the layers are put in order.
        sweeps: usize = 12,
        /// Space between nodes of a layer.
        layer_gap: f64 = 24.0,
        /// Least space between layers.
        layers: f64 = 80.0,
        /// Most nodes of a row of one layer; the remaining ones go into further rows.
        widest: usize = 60,
        /// Space around everything.
        margin: f64 = 20.0,
        /// Letters of a line at most; the rest is in the tooltip.
        letters: usize = 44,
        /// Lines of a node at most.
        lines: usize = 8,
        /// Most lines at an arrow.
        labels: usize = 5,
        /// Members that a tooltip names at most.
        members: usize = 20,
        /// Most states whose bounds are checked: each needs a trace.
        bounded_states: usize = 20,
        /// Steps of the evaluator that these traces may take together.
        bounded_work: u64 = 4_000_000,
        /// Most nodes that a message names.
        named: usize = 5,
    }

    /// Pages (`page/`).
    pub struct Page {
        /// Most steps of a trace that have a picture: the last ones.
        steps: usize = 80,
        /// Most messages about a drawing.
        failures: usize = 5,
        /// Bytes of one drawing at most, so that a page can be sent by mail.
        picture: usize = 1_500_000,
        /// Bytes of a text that a page shows at most, so that a page can be sent by mail.
        source: usize = 400_000,
        /// Most traces that have pictures.
        traces: usize = 5,
    }

    /// Pictures of states (`snapshot/`).
    pub struct Snapshot {
        /// Most elements of a set that are drawn.
        elements: usize = 24,
        /// Most arrows of a picture.
        arrows: usize = 300,
        /// Most cells of a row.
        cells: usize = 30,
        /// Most lines of a node of a picture.
        lines: usize = 9,
        /// Most elements, of all its sets together, of a constant that is drawn without being asked for.
        small: usize = 16,
        /// Steps of the evaluator for one picture.
        work: u64 = 5_000_000,
        /// Most nodes, and most edges, of a picture that the model defines.
        nodes: usize = 400,
        /// Most nodes of a file with a drawing.
        drawing_nodes: u32 = 200_000,
        /// Most bytes of a file with a drawing.
        drawing_bytes: u64 = 4_000_000,
        /// Most copies of one item of a drawing.
        copies: i64 = 1_000,
    }

    /// The states near a trace (`snapshot/near.rs`).
    pub struct Near {
        /// Most states of a trace that are drawn: the last ones.
        steps: usize = 24,
        /// Most states beside the trace.
        beside: usize = 36,
        /// Most new states beside one state.
        siblings: usize = 4,
        /// Most edges of one event that are looked at.
        edges: usize = 40,
        /// Steps of the evaluator for all of it. Half a million of them take about 50 ms.
        work: u64 = 400_000,
        /// Most lines of values in a node.
        lines: usize = 3,
        /// Most labels of an arrow.
        labels: usize = 3,
    }
}
