package server

// ClockStep is clockStep, for tests.
const ClockStep = clockStep
