package remote

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/safelight/safelight/fault"
)

// hostRule is a glob of Config.Hosts: any host, the names below name, or name itself.
type hostRule struct {
	any   bool
	below bool
	name  string
	port  uint16 // 0: 80 and 443
}

func parseRules(globs []string) ([]hostRule, error) {
	rules := make([]hostRule, 0, len(globs))
	for _, glob := range globs {
		r, err := parseRule(glob)
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid,
				"the host glob %q is not valid, expected host, *.domain or * with an optional :port", glob)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func parseRule(glob string) (hostRule, error) {
	if strings.HasSuffix(glob, ":") {
		return hostRule{}, fault.New(fault.Invalid, "the port is missing")
	}
	u := url.URL{Host: glob}
	var r hostRule
	if port := u.Port(); port != "" {
		n, err := parsePort(port, "")
		if err != nil {
			return hostRule{}, err
		}
		r.port = n
	}
	name := u.Hostname()
	if name == "*" {
		r.any = true
		return r, nil
	}
	name, r.below = strings.CutPrefix(name, "*.")
	name, addr, err := parseHost(name, strings.HasPrefix(glob, "["))
	if err != nil {
		return hostRule{}, err
	}
	if r.below && addr.IsValid() {
		return hostRule{}, fault.New(fault.Invalid, "*. is in front of an address, expected it in front of a host name")
	}
	r.name = name
	return r, nil
}

func (r hostRule) matches(t target) bool {
	if r.port != t.port && (r.port != 0 || t.port != 80 && t.port != 443) {
		return false
	}
	if r.below {
		return strings.HasSuffix(t.host, "."+r.name)
	}
	return r.any || t.host == r.name
}

func listed(rules []hostRule, t target) bool {
	return slices.ContainsFunc(rules, func(r hostRule) bool { return r.matches(t) })
}

// parseHost returns a host in canonical form, and its address if it is one. It returns fault.Invalid for every
// spelling that one resolver might read as an address and another as a name.
func parseHost(host string, bracketed bool) (string, netip.Addr, error) {
	if bracketed {
		a, err := netip.ParseAddr(host)
		if err != nil || !a.Is6() || a.Is4In6() || a.Zone() != "" {
			return "", a, fault.New(fault.Invalid, "the host [%s] is not a plain IPv6 address", host)
		}
		return a.String(), a, nil
	}
	host = strings.ToLower(host)
	if err := checkName(host); err != nil {
		return "", netip.Addr{}, err
	}
	if last := host[strings.LastIndexByte(host, '.')+1:]; !isNumber(last) {
		return host, netip.Addr{}, nil
	}
	a, err := netip.ParseAddr(host)
	if err != nil || !a.Is4() {
		return "", netip.Addr{}, fault.New(fault.Invalid,
			"the host %s is an address in an unusual spelling, expected four decimal numbers", host)
	}
	return host, a, nil
}

// checkName accepts only ASCII labels; an international name must be in punycode.
func checkName(host string) error {
	if len(host) > 253 {
		return fault.New(fault.Invalid, "the host has %d bytes, expected at most 253", len(host))
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 {
			return fault.New(fault.Invalid, "the host %q has a label of %d bytes, expected 1 to 63", host, len(label))
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || label[0] == '-' {
			return fault.New(fault.Invalid, "the host %q is not made of letters, digits and hyphens", host)
		}
	}
	return nil
}

// isNumber reports whether inet_aton would read the label as a number.
func isNumber(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	if hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
