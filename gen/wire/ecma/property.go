package ecma

import (
	"strings"
	"unicode"
)

// Property is the set of a Unicode property as \p{…} names it: a general
// category, Script=…, Script_Extensions=…, or a binary property. Names are
// exact, long or short, as ECMA-262 wants them. Script extensions are taken
// for scripts, because Go's tables have no more.
func Property(expression string) (Set, bool) {
	name, value, pair := strings.Cut(expression, "=")
	if pair {
		switch name {
		case "General_Category", "gc":
			return category(value)
		case "Script", "sc", "Script_Extensions", "scx":
			return script(value)
		}
		return nil, false
	}
	if set, ok := category(name); ok {
		return set, true
	}
	return binaryProperty(name)
}

func category(name string) (Set, bool) {
	if long, ok := unicode.CategoryAliases[name]; ok {
		name = long
	}
	switch name {
	case "Cs", "Surrogate":
		return Set{}, true
	case "Cn", "Unassigned":
		return assigned().Complement(), true
	case "C", "Other":
		return fromTables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z).Complement(), true
	case "LC", "Cased_Letter":
		return fromTables(unicode.Lu, unicode.Ll, unicode.Lt), true
	}
	if t, ok := unicode.Categories[name]; ok {
		return fromTables(t), true
	}
	return nil, false
}

func assigned() Set {
	return fromTables(unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co)
}

func script(name string) (Set, bool) {
	if long, ok := scriptAliases[name]; ok {
		name = long
	}
	if t, ok := unicode.Scripts[name]; ok {
		return fromTables(t), true
	}
	return nil, false
}

// binaryProperty is one of the binary properties of ECMA-262 table 69 that Go's tables
// can make.
func binaryProperty(name string) (Set, bool) {
	if long, ok := binaryAliases[name]; ok {
		name = long
	}
	switch name {
	case "Any":
		return All(), true
	case "ASCII":
		return Set{{0, 0x7f}}, true
	case "Assigned":
		return assigned(), true
	case "Alphabetic":
		return fromTables(unicode.L, unicode.Nl, unicode.Other_Alphabetic), true
	case "Lowercase":
		return fromTables(unicode.Ll, unicode.Other_Lowercase), true
	case "Uppercase":
		return fromTables(unicode.Lu, unicode.Other_Uppercase), true
	case "Cased":
		return fromTables(unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase), true
	case "Math":
		return fromTables(unicode.Sm, unicode.Other_Math), true
	case "ID_Start":
		return idStart(), true
	case "ID_Continue":
		return idStart().Union(fromTables(unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)).
			Intersect(fromTables(unicode.Pattern_Syntax, unicode.Pattern_White_Space).Complement()), true
	case "Grapheme_Extend":
		return fromTables(unicode.Me, unicode.Mn, unicode.Other_Grapheme_Extend), true
	case "Default_Ignorable_Code_Point":
		return fromTables(unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector).
			Intersect(fromTables(unicode.White_Space, unicode.Prepended_Concatenation_Mark).
				Union(Set{{0xfff9, 0xfffb}, {0x13430, 0x13440}}).Complement()), true
	}
	if set, ok := emojiSets[name]; ok {
		return set, true
	}
	if notECMA[name] {
		return nil, false
	}
	if t, ok := unicode.Properties[name]; ok && !strings.HasPrefix(name, "Other_") {
		return fromTables(t), true
	}
	return nil, false
}

func idStart() Set {
	return fromTables(unicode.L, unicode.Nl, unicode.Other_ID_Start).
		Intersect(fromTables(unicode.Pattern_Syntax, unicode.Pattern_White_Space).Complement())
}

// notECMA are properties of Go's tables that ECMA-262 does not name.
var notECMA = map[string]bool{"Hyphen": true, "Prepended_Concatenation_Mark": true}

var binaryAliases = map[string]string{
	"AHex": "ASCII_Hex_Digit", "Alpha": "Alphabetic", "Bidi_C": "Bidi_Control", "Dep": "Deprecated",
	"DI": "Default_Ignorable_Code_Point", "Dia": "Diacritic", "EBase": "Emoji_Modifier_Base",
	"EComp": "Emoji_Component", "EMod": "Emoji_Modifier", "EPres": "Emoji_Presentation", "ExtPict": "Extended_Pictographic", "Ext": "Extender", "Gr_Ext": "Grapheme_Extend",
	"Hex": "Hex_Digit", "IDC": "ID_Continue", "IDS": "ID_Start", "IDSB": "IDS_Binary_Operator",
	"IDST": "IDS_Trinary_Operator", "Ideo": "Ideographic", "Join_C": "Join_Control",
	"LOE": "Logical_Order_Exception", "Lower": "Lowercase", "NChar": "Noncharacter_Code_Point",
	"Pat_Syn": "Pattern_Syntax", "Pat_WS": "Pattern_White_Space", "QMark": "Quotation_Mark", "RI": "Regional_Indicator",
	"SD": "Soft_Dotted", "STerm": "Sentence_Terminal", "Term": "Terminal_Punctuation",
	"UIdeo": "Unified_Ideograph", "Upper": "Uppercase", "VS": "Variation_Selector", "space": "White_Space",
}
