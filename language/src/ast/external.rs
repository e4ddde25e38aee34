//! The functions of ProB's library files (`LibraryStrings.def`, `CHOOSE.def`, …), which are known here
//! by name: the files themselves need not be there.
//!
//! A signature is B text: a set of functions, a set of arguments for a predicate or a substitution, a
//! set of values for a constant. Single letters stand for any type.
//!
//! Leuschel, Butler: *ProB: an automated analysis toolset for the B method*, STTT 2008; the user manual,
//! "External Functions".

/// Syntactic kind of an external function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExternalKind {
    /// An expression; without arguments a constant.
    Function,
    /// A predicate.
    Predicate,
    /// A substitution without effect on the state: it prints, waits or opens files.
    Substitution,
}

/// Extent to which an external function can be evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Support {
    /// It has a value for all arguments.
    Total,
    /// It has a value, or is ill-defined.
    Partial,
    /// It depends on files, on the time or on chance.
    Outside,
    /// It asks ProB about itself or about the state space.
    Meta,
}

macro_rules! externals {
    ($($library:literal { $($name:literal $variant:ident $kind:ident $support:ident $signature:literal;)* })*) => {
        /// Functions and predicates of ProB's libraries.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum ExternalFunction { $($($variant,)*)* }

        impl ExternalFunction {
            /// Every function of the libraries.
            pub const ALL: &[ExternalFunction] = &[$($(ExternalFunction::$variant,)*)*];

            /// Returns the name it has in ProB's libraries.
            pub fn name(self) -> &'static str {
                match self { $($(ExternalFunction::$variant => $name,)*)* }
            }

            /// Returns the library file that declares it.
            pub fn library(self) -> &'static str {
                match self { $($(ExternalFunction::$variant => $library,)*)* }
            }

            /// Expression, predicate or substitution.
            pub fn kind(self) -> ExternalKind {
                match self { $($(ExternalFunction::$variant => ExternalKind::$kind,)*)* }
            }

            /// Returns the extent to which it can be evaluated.
            pub fn support(self) -> Support {
                match self { $($(ExternalFunction::$variant => Support::$support,)*)* }
            }

            /// Returns its signature as B text.
            pub fn signature(self) -> &'static str {
                match self { $($(ExternalFunction::$variant => $signature,)*)* }
            }
        }
    };
}

externals! {
    "CHOOSE.def" {
        "CHOOSE" Choose Function Partial "POW(a) --> a";
        "MU" Mu Function Partial "POW(a) --> a";
        "MU_WD" MuWd Function Partial "POW(a) --> a";
    }
    "SORT.def" {
        "SORT" Sort Function Partial "POW(a) --> seq(a)";
        "SQUASH" Squash Function Partial "POW(INTEGER*a) --> seq(a)";
    }
    "SCCS.def" {
        "SCCS" Sccs Function Partial "POW(a*a) --> POW(POW(a))";
    }
    "LibraryStrings.def" {
        "STRING_LENGTH" StringLength Function Total "STRING --> INTEGER";
        "STRING_APPEND" StringAppend Function Total "STRING*STRING --> STRING";
        "STRING_REV" StringRev Function Total "STRING --> STRING";
        "STRING_CONC" StringConc Function Partial "seq(STRING) --> STRING";
        "STRING_SPLIT" StringSplit Function Partial "STRING*STRING --> seq(STRING)";
        "STRING_JOIN" StringJoin Function Partial "seq(STRING)*STRING --> STRING";
        "STRING_CHARS" StringChars Function Total "STRING --> seq(STRING)";
        "STRING_CODES" StringCodes Function Total "STRING --> seq(INTEGER)";
        "CODES_TO_STRING" CodesToString Function Partial "seq(INTEGER) --> STRING";
        "STRING_PADLEFT" StringPadLeft Function Partial "STRING*INTEGER*STRING --> STRING";
        "STRING_TO_UPPER" StringToUpper Function Partial "STRING --> STRING";
        "STRING_TO_LOWER" StringToLower Function Partial "STRING --> STRING";
        "STRING_TO_INT" StringToInt Function Partial "STRING --> INTEGER";
        "STRING_IS_INT" StringIsInt Predicate Total "STRING";
        "STRING_IS_NUMBER" StringIsNumber Predicate Total "STRING";
        "STRING_IS_DECIMAL" StringIsDecimal Predicate Total "STRING";
        "STRING_IS_ALPHANUMERIC" StringIsAlphanumeric Predicate Total "STRING";
        "STRING_EQUAL_CASE_INSENSITIVE" StringEqualCaseInsensitive Predicate Partial "STRING*STRING";
        "GET_STRING_IS_INT" GetStringIsInt Function Total "STRING --> BOOL";
        "GET_STRING_IS_NUMBER" GetStringIsNumber Function Total "STRING --> BOOL";
        "GET_STRING_IS_DECIMAL" GetStringIsDecimal Function Total "STRING --> BOOL";
        "GET_STRING_IS_ALPHANUMERIC" GetStringIsAlphanumeric Function Total "STRING --> BOOL";
        "GET_STRING_EQUAL_CASE_INSENSITIVE" GetStringEqualCaseInsensitive Function Partial "STRING*STRING --> BOOL";
        "STRING_CONTAINS_STRING" StringContainsString Function Total "STRING*STRING --> BOOL";
        "STRING_REPLACE" StringReplace Function Partial "STRING*STRING*STRING --> STRING";
        "SUB_STRING" SubString Function Partial "STRING*INTEGER*INTEGER --> STRING";
        "DEC_STRING_TO_INT" DecStringToInt Function Partial "STRING*INTEGER --> INTEGER";
        "INT_TO_STRING" IntToString Function Total "INTEGER --> STRING";
        "INT_TO_DEC_STRING" IntToDecString Function Partial "INTEGER*INTEGER --> STRING";
        "INT_TO_HEX_STRING" IntToHexString Function Total "INTEGER --> STRING";
        "STRING_TO_ENUM" StringToEnum Function Partial "STRING --> a";
        "TYPED_STRING_TO_ENUM" TypedStringToEnum Function Partial "POW(a)*STRING --> a";
        "TO_STRING" ToString Function Partial "a --> STRING";
        "STRINGIFY" Stringify Function Meta "a --> STRING";
        "FORMAT_TO_STRING" FormatToString Function Partial "STRING*seq(a) --> STRING";
    }
    "LibraryIO.def" {
        "PRINT" Print Substitution Total "a";
        "PRINTF" Printf Substitution Total "STRING*a";
        "FPRINTF" Fprintf Substitution Total "STRING*STRING*a";
        "PRINT_BT" PrintBt Substitution Total "a";
        "DEBUG_PRINT_STATE" DebugPrintState Substitution Total "a";
        "SLEEP" Sleep Substitution Total "INTEGER";
        "SEE" See Substitution Total "STRING";
        "SEEN" Seen Substitution Total "STRING";
        "ADD_ERROR" AddError Substitution Total "STRING*a";
        "printf" PrintfPredicate Predicate Total "STRING*a";
        "printf1" Printf1 Predicate Total "STRING*a";
        "print1" Print1 Predicate Total "a";
        "printf_nonvar" PrintfNonvar Predicate Total "STRING*a";
        "tprintf" Tprintf Predicate Total "STRING*a";
        "iprintf" Iprintf Predicate Total "STRING*a";
        "dprintf" Dprintf Predicate Total "STRING*a";
        "printf_opt_trace" PrintfOptTrace Predicate Total "STRING*a*BOOL";
        "printf_two" PrintfTwo Predicate Total "STRING*a*STRING*b";
        "fprintf" FprintfPredicate Predicate Total "STRING*STRING*a";
        "observe" Observe Predicate Total "a";
        "tobserve" Tobserve Predicate Total "a";
        "observe_fun" ObserveFun Predicate Total "POW(a*b)";
        "vprintf" Vprintf Function Total "STRING*a --> a";
        "fvprintf" Fvprintf Function Total "STRING*STRING*a --> a";
        "TIME" Time Function Outside "STRING --> INTEGER";
        "TIMESTAMP" Timestamp Function Outside "INTEGER*INTEGER*INTEGER*INTEGER*INTEGER*INTEGER --> INTEGER";
        "TIMESTAMP_INFO" TimestampInfo Function Outside "STRING*INTEGER --> INTEGER";
        "DELTA_WALLTIME" DeltaWalltime Function Outside "INTEGER";
        "WALLTIME" Walltime Function Outside "INTEGER";
        "RUNTIME" Runtime Function Outside "INTEGER";
        "GET_INFO" GetInfo Function Outside "STRING --> STRING";
        "GET_CODE" GetCode Function Outside "STRING --> INTEGER";
        "GET_CODE_STDIN" GetCodeStdin Function Outside "INTEGER";
        "READ_LINE" ReadLine Function Outside "STRING --> STRING";
        "READ_FILE_AS_STRING" ReadFileAsString Function Outside "STRING --> STRING";
        "READ_FILE_AS_STRINGS" ReadFileAsStrings Function Outside "STRING --> seq(STRING)";
        "CURRENT_FILE_POSITION" CurrentFilePosition Function Outside "STRING*STRING --> INTEGER";
        "EOF" Eof Predicate Outside "STRING";
        "EOF_STDIN" EofStdin Predicate Outside "STRING";
        "ARGV" Argv Function Outside "INTEGER --> STRING";
        "ARGC" Argc Function Outside "INTEGER";
    }
    "LibraryProB.def" {
        "FORCE" Force Function Total "a --> a";
        "SYMBOLIC" Symbolic Function Total "a --> a";
        "ENUMERATE" Enumerate Predicate Total "a";
        "DO_NOT_ENUMERATE" DoNotEnumerate Predicate Total "a";
        "CHECK_DET" CheckDet Predicate Total "a";
        "ASSERT_TRUE" AssertTrue Predicate Partial "BOOL*STRING";
        "ASSERT_EXPR" AssertExpr Function Partial "BOOL*STRING*a --> a";
        "LEQ_SYM" LeqSym Predicate Partial "a*a";
        "LEQ_SYM_BREAK" LeqSymBreak Predicate Partial "a*a";
        "LESS" Less Predicate Partial "a*a";
        "MAXIMIZE" Maximize Function Partial "POW(a) --> a";
        "UNSAT_CORE" UnsatCore Function Meta "POW(POW(a)*BOOL)*POW(a) --> POW(a)";
        "UNSAT_CORE_ACC" UnsatCoreAcc Function Meta "POW(POW(a)*BOOL)*POW(a)*POW(a) --> POW(a)";
        "MAX_SAT" MaxSat Function Meta "POW(POW(a)*BOOL)*POW(a) --> POW(a)";
        "KODKOD" Kodkod Predicate Partial "INTEGER*a*b*BOOL";
        "KODKOD_SOLVE" KodkodSolve Predicate Total "INTEGER*a*b";
        "REC" Rec Function Meta "STRING*a --> b";
        "REC_LET" RecLet Function Meta "STRING*a --> a";
    }
    "LibraryBits.def" {
        "BNOT" BitNot Function Total "INTEGER --> INTEGER";
        "BAND" BitAnd Function Total "INTEGER*INTEGER --> INTEGER";
        "BOR" BitOr Function Total "INTEGER*INTEGER --> INTEGER";
        "BXOR" BitXor Function Total "INTEGER*INTEGER --> INTEGER";
        "BLSHIFT" BitShiftLeft Function Partial "INTEGER*INTEGER --> INTEGER";
        "BRSHIFT" BitShiftRight Function Partial "INTEGER*INTEGER --> INTEGER";
    }
    "LibraryMath.def" {
        "GCD" Gcd Function Total "INTEGER*INTEGER --> INTEGER";
        "ABS" Abs Function Total "INTEGER --> INTEGER";
        "SIGN" Sign Function Total "INTEGER --> INTEGER";
        "MSB" Msb Function Partial "INTEGER --> INTEGER";
        "FDIV" FloorDivide Function Partial "INTEGER*INTEGER --> INTEGER";
        "CDIV" CeilingDivide Function Partial "INTEGER*INTEGER --> INTEGER";
        "FACTORS" Factors Function Partial "INTEGER --> seq(INTEGER)";
        "SIN" Sin Function Partial "INTEGER --> INTEGER";
        "COS" Cos Function Partial "INTEGER --> INTEGER";
        "TAN" Tan Function Partial "INTEGER --> INTEGER";
        "SINx" SinX Function Partial "INTEGER*INTEGER --> INTEGER";
        "COSx" CosX Function Partial "INTEGER*INTEGER --> INTEGER";
        "TANx" TanX Function Partial "INTEGER*INTEGER --> INTEGER";
        "LOGx" LogX Function Partial "INTEGER*INTEGER*INTEGER --> INTEGER";
    }
    "LibraryReals.def" {
        "RADD" RealAdd Function Total "REAL*REAL --> REAL";
        "RSUB" RealSubtract Function Total "REAL*REAL --> REAL";
        "RMUL" RealMultiply Function Total "REAL*REAL --> REAL";
        "RDIV" RealDivide Function Partial "REAL*REAL --> REAL";
        "RINV" RealInverse Function Partial "REAL --> REAL";
        "RABS" RealAbs Function Total "REAL --> REAL";
        "RSIGN" RealSign Function Total "REAL --> REAL";
        "RMAX" RealMax Function Total "REAL*REAL --> REAL";
        "RMIN" RealMin Function Total "REAL*REAL --> REAL";
        "RMAXIMUM" RealMaximum Function Partial "POW(REAL) --> REAL";
        "RMINIMUM" RealMinimum Function Partial "POW(REAL) --> REAL";
        "ROUND" Round Function Total "REAL --> INTEGER";
        "RFLOOR" RealFloor Function Total "REAL --> REAL";
        "RCEILING" RealCeiling Function Total "REAL --> REAL";
        "RINTEGER" RealInteger Function Total "REAL --> REAL";
        "RFRACTION" RealFraction Function Total "REAL --> REAL";
        "RDECIMAL" RealDecimal Function Partial "INTEGER*INTEGER --> REAL";
        "RONE" RealOne Function Total "REAL";
        "RZERO" RealZero Function Total "REAL";
        "RPI" RealPi Function Partial "REAL";
        "REULER" RealEuler Function Partial "REAL";
        "RSQRT" RealSqrt Function Partial "REAL --> REAL";
        "RPOW" RealPower Function Partial "REAL*REAL --> REAL";
        "REXP" RealExp Function Partial "REAL --> REAL";
        "RLOGe" RealLogE Function Partial "REAL --> REAL";
        "RLOG" RealLog Function Partial "REAL*REAL --> REAL";
        "RSIN" RealSin Function Partial "REAL --> REAL";
        "RCOS" RealCos Function Partial "REAL --> REAL";
        "RTAN" RealTan Function Partial "REAL --> REAL";
        "RARCSIN" RealArcSin Function Partial "REAL --> REAL";
        "RARCCOS" RealArcCos Function Partial "REAL --> REAL";
        "RARCTAN" RealArcTan Function Partial "REAL --> REAL";
        "RSINH" RealSinh Function Partial "REAL --> REAL";
        "RCOSH" RealCosh Function Partial "REAL --> REAL";
        "RTANH" RealTanh Function Partial "REAL --> REAL";
    }
    "LibraryRandom.def" {
        "RANDOM" Random Function Outside "INTEGER*INTEGER --> INTEGER";
        "random_element" RandomElement Function Outside "POW(a) --> a";
        "random_subset" RandomSubset Function Outside "POW(a) --> POW(a)";
        "random_permutation" RandomPermutation Function Outside "POW(a) --> seq(a)";
    }
    "LibraryRegex.def" {
        "REGEX_MATCH" RegexMatch Predicate Partial "STRING*STRING";
        "GET_IS_REGEX_MATCH" GetIsRegexMatch Function Partial "STRING*STRING --> BOOL";
        "IS_REGEX" IsRegex Predicate Partial "STRING";
        "GET_IS_REGEX" GetIsRegex Function Partial "STRING --> BOOL";
        "REGEX_REPLACE" RegexReplace Function Partial "STRING*STRING*STRING --> STRING";
        "REGEX_SEARCH_STR" RegexSearchStr Function Partial "STRING*STRING --> STRING";
        "REGEX_SEARCH" RegexSearch Function Partial "STRING*INTEGER*STRING --> struct(length:INTEGER, position:INTEGER, string:STRING, submatches:seq(STRING))";
        "REGEX_SEARCH_ALL" RegexSearchAll Function Partial "STRING*STRING --> seq(STRING)";
    }
    "LibraryHash.def" {
        "HASH" Hash Function Meta "a --> INTEGER";
        "SHA_HASH" ShaHash Function Meta "a --> seq(INTEGER)";
        "SHA_HASH_HEX" ShaHashHex Function Meta "a --> STRING";
        "SHA_HASH_FILE_HEX" ShaHashFileHex Function Outside "STRING --> STRING";
    }
    "LibraryCSV.def" {
        "READ_CSV" ReadCsv Function Outside "STRING*BOOL*BOOL --> a";
        "READ_CSV_STRINGS" ReadCsvStrings Function Outside "STRING --> seq(STRING +-> STRING)";
        "READ_CSV_SEQUENCE" ReadCsvSequence Function Outside "STRING --> seq(a)";
        "WRITE_CSV" WriteCsv Predicate Outside "a*STRING";
    }
    "LibraryXML.def" {
        "XML_ELement_Type" XmlElementType Function Meta "POW(struct(recId:NATURAL1, pId:NATURAL, element:STRING, attributes:STRING +-> STRING, meta:STRING +-> STRING))";
        "READ_XML" ReadXml Function Outside "STRING*STRING --> seq(struct(recId:NATURAL1, pId:NATURAL, element:STRING, attributes:STRING +-> STRING, meta:STRING +-> STRING))";
        "READ_XML_FROM_STRING" ReadXmlFromString Function Meta "STRING --> seq(struct(recId:NATURAL1, pId:NATURAL, element:STRING, attributes:STRING +-> STRING, meta:STRING +-> STRING))";
        "WRITE_XML_TO_STRING" WriteXmlToString Function Meta "seq(struct(recId:NATURAL1, pId:NATURAL, element:STRING, attributes:STRING +-> STRING, meta:STRING +-> STRING)) --> STRING";
        "WRITE_XML" WriteXml Predicate Outside "seq(struct(recId:NATURAL1, pId:NATURAL, element:STRING, attributes:STRING +-> STRING, meta:STRING +-> STRING))*STRING";
    }
    "LibraryFiles.def" {
        "FILE_EXISTS" FileExists Predicate Outside "STRING";
        "DIRECTORY_EXISTS" DirectoryExists Predicate Outside "STRING";
        "FILES" Files Function Outside "STRING --> POW(STRING)";
        "FULL_FILES" FullFiles Function Outside "STRING --> POW(STRING)";
        "DIRECTORIES" Directories Function Outside "STRING --> POW(STRING)";
        "FULL_DIRECTORIES" FullDirectories Function Outside "STRING --> POW(STRING)";
    }
    "LibraryMeta.def" {
        "PROB_INFO_STR" ProbInfoStr Function Meta "STRING --> STRING";
        "PROB_STATISTICS" ProbStatistics Function Meta "STRING --> INTEGER";
        "PROJECT_INFO" ProjectInfo Function Meta "STRING --> POW(STRING)";
        "PROJECT_STATISTICS" ProjectStatistics Function Meta "STRING --> INTEGER";
        "MACHINE_INFO" MachineInfo Function Meta "STRING*STRING --> STRING";
        "GET_PREF" GetPref Function Meta "STRING --> STRING";
        "GET_PREF_DEFAULT" GetPrefDefault Function Meta "STRING --> STRING";
        "SET_PREF" SetPref Predicate Meta "STRING*STRING";
        "FORMULA_INFOS" FormulaInfos Function Meta "STRING --> POW(INTEGER*STRING)";
        "FORMULA_VALUES" FormulaValues Function Meta "STRING --> POW(INTEGER*STRING)";
        "HISTORY" History Function Meta "POW(INTEGER*INTEGER)";
        "STATE_AS_STRING" StateAsString Function Meta "INTEGER --> STRING";
        "STATE_SUCC" StateSucc Predicate Meta "INTEGER*INTEGER";
        "STATE_TRANS" StateTrans Predicate Meta "INTEGER*STRING*INTEGER";
        "STATE_TRANS_ARGS" StateTransArgs Predicate Meta "INTEGER*STRING*a*INTEGER";
        "STATE_SAT" StateSat Predicate Meta "INTEGER*STRING";
        "STATE_VALUES" StateValues Function Meta "a --> POW(INTEGER*INTEGER*a)";
        "EVAL" Eval Function Meta "INTEGER*STRING --> a";
        "CURRENT_STATE_ID" CurrentStateId Function Meta "INTEGER";
        "ENABLED" Enabled Predicate Meta "STRING";
        "GET_IS_ENABLED" GetIsEnabled Function Meta "STRING --> BOOL";
        "NON_DET_STATE" NonDetState Function Meta "BOOL";
        "GET_IS_DET" GetIsDet Function Meta "STRING --> BOOL";
    }
}

impl ExternalFunction {
    /// Returns the function with a name.
    pub fn of_name(name: &str) -> Option<ExternalFunction> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Returns whether the function takes arguments.
    pub fn has_arguments(self) -> bool {
        self.kind() != ExternalKind::Function || self.signature().contains("-->")
    }
}

impl ExternalFunction {
    /// Returns whether it is a predicate that is true wherever its arguments have values: it prints, or controls how
    /// ProB proceeds.
    pub fn is_always_true(self) -> bool {
        let libraries = ["LibraryIO.def", "LibraryProB.def"];
        self.kind() == ExternalKind::Predicate
            && self.support() == Support::Total
            && libraries.contains(&self.library())
    }

    /// Returns whether its value is that of its last argument.
    pub fn is_identity(self) -> bool {
        use ExternalFunction::{Force, Fvprintf, Symbolic, Vprintf};
        matches!(self, Force | Symbolic | Vprintf | Fvprintf)
    }
}

/// Returns whether a file of definitions is one of ProB's libraries.
pub fn is_library(file: &str) -> bool {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    ExternalFunction::ALL.iter().any(|f| f.library() == name) || name == "LibrarySVG.def"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for f in ExternalFunction::ALL {
            assert_eq!(ExternalFunction::of_name(f.name()), Some(*f));
        }
        assert!(is_library("LibraryStrings.def") && is_library("lib/CHOOSE.def") && !is_library("My.def"));
    }
}
