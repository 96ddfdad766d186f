package wire

// Format tells whether s, the content of a string, has the named format of
// JSON Schema 2020-12 validation section 7.3. Of names it does not know every
// string has the format.
func Format(name string, s []byte) bool {
	switch name {
	case "date-time":
		return isDateTime(s)
	case "date":
		return isDate(s)
	case "time":
		return isTime(s)
	case "duration":
		return isDuration(s)
	case "email":
		return isEmail(s, false)
	case "idn-email":
		return isEmail(s, true)
	case "hostname":
		return isHostname(s)
	case "idn-hostname":
		return isIDNHostname(s)
	case "ipv4":
		return isIPv4(s)
	case "ipv6":
		return isIPv6(s)
	case "uri":
		return isURI(s, uriRules{absolute: true})
	case "uri-reference":
		return isURI(s, uriRules{})
	case "iri":
		return isURI(s, uriRules{absolute: true, international: true})
	case "iri-reference":
		return isURI(s, uriRules{international: true})
	case "uri-template":
		return isURITemplate(s)
	case "uuid":
		return isUUID(s)
	case "json-pointer":
		return isJSONPointer(s)
	case "relative-json-pointer":
		return isRelativeJSONPointer(s)
	case "regex":
		return isRegex(s)
	}
	return true
}

// KnownFormat tells whether [Format] has rules for the name.
func KnownFormat(name string) bool {
	switch name {
	case "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6",
		"uri", "uri-reference", "iri", "iri-reference", "uri-template", "uuid", "json-pointer",
		"relative-json-pointer", "regex":
		return true
	}
	return false
}
