package wire

// two reads two digits.
func two(s []byte) (int, bool) {
	if len(s) < 2 || s[0]-'0' > 9 || s[1]-'0' > 9 {
		return 0, false
	}
	return int(s[0]-'0')*10 + int(s[1]-'0'), true
}

// isDateTime is RFC 3339 section 5.6, date-time.
func isDateTime(s []byte) bool {
	return len(s) > 11 && (s[10] == 'T' || s[10] == 't') && isDate(s[:10]) && isTime(s[11:])
}

// isDate is RFC 3339 section 5.6, full-date, with the length of months.
func isDate(s []byte) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	century, ok1 := two(s)
	year, ok2 := two(s[2:])
	month, ok3 := two(s[5:])
	day, ok4 := two(s[8:])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 || day < 1 {
		return false
	}
	last := 31
	switch month {
	case 4, 6, 9, 11:
		last = 30
	case 2:
		last = 28
		if year%4 == 0 && (year != 0 || century%4 == 0) {
			last = 29
		}
	}
	return day <= last
}

// isTime is RFC 3339 section 5.6, full-time. A leap second is one at 23:59:60
// UTC.
func isTime(s []byte) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := two(s)
	minute, ok2 := two(s[3:])
	second, ok3 := two(s[6:])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		n := 1
		for n < len(s) && s[n]-'0' <= 9 {
			n++
		}
		if n == 1 {
			return false
		}
		s = s[n:]
	}
	at := hour*60 + minute
	switch {
	case len(s) == 1 && (s[0] == 'Z' || s[0] == 'z'):
	case len(s) == 6 && (s[0] == '+' || s[0] == '-') && s[3] == ':':
		h, ok1 := two(s[1:])
		m, ok2 := two(s[4:])
		if !ok1 || !ok2 || h > 23 || m > 59 {
			return false
		}
		if s[0] == '+' {
			at -= h*60 + m
		} else {
			at += h*60 + m
		}
	default:
		return false
	}
	return second < 60 || (at+2*24*60)%(24*60) == 23*60+59
}

// isDuration is RFC 3339 appendix A.
func isDuration(s []byte) bool {
	if len(s) < 2 || s[0] != 'P' {
		return false
	}
	s = s[1:]
	if rest, ok := amount(s, 'W'); ok {
		return len(rest) == 0
	}
	date, s := amounts(s, "YMD")
	if date < 0 {
		return false
	}
	if len(s) == 0 {
		return date > 0
	}
	if s[0] != 'T' {
		return false
	}
	time, s := amounts(s[1:], "HMS")
	return time > 0 && len(s) == 0
}

// amount reads digits and the unit.
func amount(s []byte, unit byte) ([]byte, bool) {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		n++
	}
	if n == 0 || n == len(s) || s[n] != unit {
		return s, false
	}
	return s[n+1:], true
}

// amounts reads amounts of neighbouring units and returns their number, -1 if
// a unit between two is missing.
func amounts(s []byte, units string) (int, []byte) {
	count, last := 0, -1
	for i := range len(units) {
		rest, ok := amount(s, units[i])
		if !ok {
			continue
		}
		if last >= 0 && last != i-1 {
			return -1, s
		}
		count, last, s = count+1, i, rest
	}
	return count, s
}
