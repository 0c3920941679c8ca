// Made from the headers of src/ by tools/layout.mjs.
export const DONE = 0; export const NEED_BYTES = 1; export const NEED_RULE = 2; export const PAUSE = 3; export const ERROR = 4;
export const EVALUATED = 0; export const NO_EXPRESSION = 1; export const NO_VALUE = 2; export const UNDEFINED = 3;
export const WORD_OFFSET_LOW = 0; export const WORD_OFFSET_HIGH = 1; export const WORD_LENGTH_LOW = 2; export const WORD_LENGTH_HIGH = 3; export const WORD_LOCATION = 4; export const WORD_LOCATION_LENGTH = 5; export const WORD_NODES_DONE = 6; export const WORD_NODES = 7; export const WORD_CODE = 8; export const WORD_PATH = 9; export const WORD_PATH_LENGTH = 10; export const WORD_MESSAGE = 11; export const WORD_MESSAGE_LENGTH = 12; export const WORD_REPORT = 13; export const WORD_VALUE_LOW = 14; export const WORD_VALUE_HIGH = 15; export const WORD_MEMORY = 16;
export const FIELD_STRICT = 1; export const FIELD_OVERRIDE = 2; export const FIELD_BINDING = 3; export const FIELD_INPUT = 4; export const FIELD_HOST_OP = 5; export const FIELD_NESTING = 6; export const FIELD_RANK = 7; export const FIELD_ELEMENTS = 8; export const FIELD_TERMS = 9; export const FIELD_DEPTH = 10; export const FIELD_VALUES = 11; export const FIELD_MEMORY = 12; export const FIELD_OPERATIONS = 13; export const FIELD_SEED = 14; export const FIELD_NAME = 1; export const FIELD_SIZE = 2; export const FIELD_VALUE_NAME = 1; export const FIELD_TYPE = 2; export const FIELD_SHAPE = 3; export const FIELD_DIM = 4; export const FIELD_DIM_TEXT = 5; export const FIELD_DIM_UNKNOWN = 6; export const FIELD_DATA = 7; export const FIELD_DATA_TEXT = 8; export const FIELD_DATA_UNKNOWN = 9; export const FIELD_DATA_REAL = 10; export const FIELD_OUTPUT = 1;
export const CELL_TEXT = 2147483648; export const CELL_NULL = 2147483649; export const CELL_FALSE = 2147483650; export const CELL_TRUE = 2147483651; export const CELL_REAL = 2147483652; export const CELL_BIG = 2147483653;
export const SCOPES = 0; export const VALUES = 1; export const FACTS = 2; export const OPS = 3; export const NODES = 4; export const SYMBOLS = 5; export const PLACES = 6; export const EQUALS = 7; export const ASSUMPTIONS = 8; export const DIAGNOSTICS = 9; export const OPSETS = 10; export const MODEL = 11; export const LISTS = 12; export const CELLS = 13; export const REALS = 14; export const TEXT = 15; export const CHARS = 16;
export const SCOPE_PARENT = 0; export const SCOPE_NODE = 1; export const SCOPE_ATTR = 2; export const SCOPE_NODES = 3; export const SCOPE_COUNT = 4; export const SCOPE_NAMES = 5;
export const VALUE_NAME = 0; export const VALUE_NODE = 1; export const VALUE_PLACE = 2; export const VALUE_FACT = 3;
export const FACT_TYPE = 0; export const FACT_SHAPE = 1; export const FACT_RANK = 2; export const FACT_CONTENT = 3; export const FACT_COUNT = 4; export const FACT_LENGTH = 5;
export const OP_DOMAIN = 0; export const OP_NAME = 1;
export const NODE_SCOPE = 0; export const NODE_OP = 1; export const NODE_ARGS = 2;
export const SYMBOL_NAME = 0; export const SYMBOL_ORIGIN = 1; export const SYMBOL_NODE = 2;
export const PLACE_SYMBOL = 0; export const PLACE_VALUE = 1; export const PLACE_AXIS = 2;
export const EQUAL_SYMBOL = 0; export const EQUAL_TEXT = 1;
export const ASSUMPTION_LHS = 0; export const ASSUMPTION_RHS = 1; export const ASSUMPTION_SCOPE = 2; export const ASSUMPTION_NODE = 3; export const ASSUMPTION_REASON = 4;
export const DIAGNOSTIC_SEVERITY = 0; export const DIAGNOSTIC_CODE = 1; export const DIAGNOSTIC_SCOPE = 2; export const DIAGNOSTIC_NODE = 3; export const DIAGNOSTIC_VALUE = 4; export const DIAGNOSTIC_MESSAGE = 5;
export const OPSET_DOMAIN = 0; export const OPSET_VERSION = 1;
export const MODEL_IR_VERSION = 0; export const MODEL_PRODUCER = 1;
export const ELEMENTS_MAX = 1024; export const NONE = 4294967295; export const REALS_FROM = 2147483648;
export const WIDTHS = [6,4,6,2,3,3,3,2,5,6,2,2,1,2,2,1,1];
export const CODES = ["","empty-file","not-onnx","truncated","malformed","nesting-limit","memory-limit","values-limit","operations-limit","bad-option","function-recursion","cycle","defined-twice","undefined-input","outer-output","negative-dim","data-size","no-data","external-data","missing-type","unknown-name","default-used","unknown-operator","opset","arity","attribute","type","rank","axis","shape","value","host-rule","declared-mismatch","declared-narrower","overflow","limit"];
// Sentences of the codes that end a call; these come first.
export const SENTENCES = ["","the file is empty","not an ONNX model","the file ends inside a field (truncated download?)","malformed protobuf (a damaged file?)","nested too deeply","out of memory","too many values","too many operations","an option cannot be understood","a function calls itself"];
export const KINDS = ["input","initializer","output","intermediate"];
export const ORIGINS = ["declared","adopted","none","rank","data","content","input","merge","float","limit","unknown-op"];
export const REASONS = ["a name that the file gives to an input's size","a name that the file gives to a size that nothing determines","nothing determines it","a rank or shape that is unknown","the data decide","elements that are unknown","the file leaves an input's size open","branches or turns of a loop differ","it goes through floating point","an expression outgrew the limits","no rule tells it"];
