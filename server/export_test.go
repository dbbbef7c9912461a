package server

// ClockResolution is clockResolution, for tests.
const ClockResolution = clockResolution
