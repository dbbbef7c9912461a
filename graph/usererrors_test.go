package graph

import (
	"errors"
	"testing"
	"time"

	"github.com/safelight/safelight/fault"
)

func TestUserErrorRetryAfter(t *testing.T) {
	busy := fault.New(fault.Conflict, "a change is under way")
	busy.RetryAfter = 1500 * time.Millisecond
	list, err := userErrors(busy)
	if err != nil || len(list) != 1 || list[0].RetryAfter == nil || *list[0].RetryAfter != 2 {
		t.Errorf("a busy path: %+v, %v, expected one error with retryAfter 2", list, err)
	}
	list, err = userErrors(fault.New(fault.Conflict, "taken"))
	if err != nil || len(list) != 1 || list[0].RetryAfter != nil {
		t.Errorf("a taken name: %+v, %v, expected no retryAfter", list, err)
	}
	if e := userError(fault.Of(errors.New("a secret"))); e.Message != "Internal error" || e.RetryAfter != nil {
		t.Errorf("an internal error is shown as %+v", e)
	}
}
