package wire

// DefaultMaxDepth is how deep arrays and objects may nest unless [MaxDepth]
// says otherwise.
const DefaultMaxDepth = 16384

// depthCeiling is the most that [MaxDepth] grants: readers generated from
// recursive schemas use the goroutine's stack, a few hundred bytes a level.
const depthCeiling = 100_000

// DefaultLimit is the number of violations after which reading stops unless
// [Limit] or [AllViolations] says otherwise.
const DefaultLimit = 10

// Option changes how one message is read.
type Option struct {
	kind optionKind
	n    int
}

type optionKind uint8

const (
	optionLimit optionKind = iota + 1
	optionFormats
	optionRepeated
	optionDepth
	optionQuote
)

// AllViolations reports every violation instead of the first [DefaultLimit].
func AllViolations() Option { return Option{optionLimit, 0} }

// Limit stops reading at the n-th violation; n below 1 means no limit.
func Limit(n int) Option { return Option{optionLimit, max(n, 0)} }

// AssertFormats makes "format" a rule; by default it is an annotation, as
// JSON Schema 2020-12 says.
func AssertFormats() Option { return Option{optionFormats, 1} }

// AllowRepeatedNames accepts objects that name a member more than once.
func AllowRepeatedNames() Option { return Option{optionRepeated, 1} }

// MaxDepth bounds the nesting of arrays and objects; values are clamped to
// 1…100000.
func MaxDepth(n int) Option { return Option{optionDepth, min(max(n, 1), depthCeiling)} }

// QuoteValues copies the offending value, cut to [QuoteLength] bytes, into
// each violation. Values may be secrets, so this is off by default.
func QuoteValues() Option { return Option{optionQuote, 1} }

// QuoteLength is the most bytes of a value that a violation quotes.
const QuoteLength = 256

func (r *Reader) configure(opts []Option) {
	r.maxDepth = DefaultMaxDepth
	r.limit = DefaultLimit
	r.formats, r.repeats, r.quote = false, false, false
	for _, o := range opts {
		switch o.kind {
		case optionLimit:
			r.limit = o.n
		case optionFormats:
			r.formats = true
		case optionRepeated:
			r.repeats = true
		case optionDepth:
			r.maxDepth = o.n
		case optionQuote:
			r.quote = true
		}
	}
}
