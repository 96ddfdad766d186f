// Package scope gives the placeholders of a scenario their values.
//
// A string that is a placeholder becomes a value of any type; ${…} inside a longer string becomes text:
//
//	$new.x        a fresh id, named x from now on
//	$x, $x.a.0    what is named x, or a part of it
//	$base.x       a value of the protocol's base.yaml, expanded where it is used
//	$standin.m.u  what a stand-in offers
//	$target.x     a value of the target file
//	$file.x       the absolute path of a file of the scenario
//	$secret.x     a secret canary, made at its first use
//	$canary.x     a canary that is not secret but must not be echoed either
//	$$text        the literal $text; $${ inside a string is the literal ${
//
// Objects with one of these members build values:
//
//	{ $from: v, a: 1, b: { $absent: true } }  v with members merged deeply, replaced or removed
//	{ $text: "ab", $times: 3 }                "ababab"
//	{ $json: v }                              v as compact JSON text
//	{ $canonical: v }                         likewise, with the members of every object sorted by name
//	{ $base64: t }, { $sha256: t }            of the text t in UTF-8; the digest in hexadecimal
//	{ $bytes: t }                             how many bytes that is
//	{ $sum: [1, 2] }                          3
//	{ $minutes: [t, u] }                      how many minutes, rounded, lie between two times
//
// While a scenario is loaded, most values do not exist yet. [Sample] stands for them.
package scope
