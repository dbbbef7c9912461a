package server

// The ages at which a source counts as settled, for tests.
const (
	ClockResolution  = clockResolution
	CoarseResolution = coarseResolution
)

// Waiting returns the number of requests that wait for a result to be rendered.
func (s *Server) Waiting() int { return s.flights.Waiting() }
