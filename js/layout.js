// Made from src/report.h, src/shp.h and src/error.h by tools/layout.mjs.
export const CODES = ["","empty-file","not-onnx","truncated","malformed","nesting-limit","memory-limit","values-limit","operations-limit","bad-option","strict","function-recursion","cycle","defined-twice","undefined-input","negative-dim","data-size","no-data","external-data","missing-type","unknown-name","default-used","unknown-operator","opset","arity","attribute","type","rank","axis","shape","value","host-rule","declared-mismatch","declared-narrower","overflow"];
// Sentences of the codes that end a call; these come first.
export const SENTENCES = ["","the file is empty","not an ONNX model","the file ends inside a field (truncated download?)","malformed protobuf","nested too deeply","out of memory","too many values","too many operations","an option cannot be understood","strict mode: an error in the model","a function calls itself"];
export const DONE = 0, NEED_BYTES = 1, NEED_RULE = 2, PAUSE = 3, ERROR = 4;
export const EVALUATED = 0, NO_EXPRESSION = 1, NO_VALUE = 2, UNDEFINED = 3;
export const WORD_OFFSET_LOW = 0, WORD_OFFSET_HIGH = 1, WORD_LENGTH_LOW = 2, WORD_LENGTH_HIGH = 3, WORD_LOCATION = 4, WORD_LOCATION_LENGTH = 5, WORD_NODES_DONE = 6, WORD_NODES = 7, WORD_CODE = 8, WORD_PATH = 9, WORD_PATH_LENGTH = 10, WORD_MESSAGE = 11, WORD_MESSAGE_LENGTH = 12, WORD_REPORT = 13, WORD_VALUE_LOW = 14, WORD_VALUE_HIGH = 15;
export const FIELD_STRICT = 1, FIELD_OVERRIDE = 2, FIELD_BINDING = 3, FIELD_INPUT = 4, FIELD_HOST_OP = 5, FIELD_NESTING = 6, FIELD_RANK = 7, FIELD_ELEMENTS = 8, FIELD_TERMS = 9, FIELD_DEPTH = 10, FIELD_VALUES = 11, FIELD_MEMORY = 12, FIELD_OPERATIONS = 13, FIELD_NAME = 1, FIELD_SIZE = 2, FIELD_VALUE_NAME = 1, FIELD_TYPE = 2, FIELD_SHAPE = 3, FIELD_DIM = 4, FIELD_DIM_TEXT = 5, FIELD_DIM_UNKNOWN = 6, FIELD_DATA = 7, FIELD_DATA_TEXT = 8, FIELD_DATA_UNKNOWN = 9, FIELD_DATA_REAL = 10, FIELD_OUTPUT = 1;
export const CELL_TEXT = 2147483648, CELL_NULL = 2147483649, CELL_FALSE = 2147483650, CELL_TRUE = 2147483651, CELL_REAL = 2147483652, CELL_BIG = 2147483653;
export const SCOPES = 0, VALUES = 1, NODES = 2, SYMBOLS = 3, ASSUMPTIONS = 4, DIAGNOSTICS = 5, MODEL = 6, LISTS = 7, CELLS = 8, TEXT = 9, CHARS = 10;
export const WIDTHS = [3,10,12,7,5,6,4,1,2,1,1];
export const SCOPE_PATH = 0, SCOPE_PARENT = 1, SCOPE_NODE = 2;
export const VALUE_NAME = 0, VALUE_SCOPE = 1, VALUE_KIND = 2, VALUE_TYPE = 3, VALUE_SHAPE = 4, VALUE_RANK = 5, VALUE_CONTENT = 6, VALUE_COUNT = 7, VALUE_LENGTH = 8, VALUE_NODE = 9;
export const NODE_SCOPE = 0, NODE_INDEX = 1, NODE_NAME = 2, NODE_UNIQUE = 3, NODE_DOMAIN = 4, NODE_OP = 5, NODE_INPUTS = 6, NODE_INPUT_COUNT = 7, NODE_OUTPUTS = 8, NODE_OUTPUT_COUNT = 9, NODE_READ_LOW = 10, NODE_READ_HIGH = 11;
export const SYMBOL_NAME = 0, SYMBOL_ORIGIN = 1, SYMBOL_NODE = 2, SYMBOL_WHERE = 3, SYMBOL_WHERE_COUNT = 4, SYMBOL_EQUAL = 5, SYMBOL_EQUAL_COUNT = 6;
export const ASSUMPTION_LHS = 0, ASSUMPTION_RHS = 1, ASSUMPTION_SCOPE = 2, ASSUMPTION_NODE = 3, ASSUMPTION_REASON = 4;
export const DIAGNOSTIC_SEVERITY = 0, DIAGNOSTIC_CODE = 1, DIAGNOSTIC_SCOPE = 2, DIAGNOSTIC_NODE = 3, DIAGNOSTIC_VALUE = 4, DIAGNOSTIC_MESSAGE = 5;
export const MODEL_IR_VERSION = 0, MODEL_PRODUCER = 1, MODEL_OPSETS = 2, MODEL_OPSET_COUNT = 3;
export const KINDS = ["input","initializer","output","intermediate"];
export const ORIGINS = ["declared","adopted","none","rank","data","content","input","merge","float","limit","unknown-op"];
export const REASONS = ["a name that the file gives to an input's size","a name that the file gives to a size that nothing determines","nothing determines it","a rank or shape that is unknown","the data decide","elements that are unknown","the file leaves an input's size open","branches or turns of a loop differ","it goes through floating point","an expression outgrew the limits","no rule for the operator"];
export const ELEMENTS_MAX = 1024;
