package main

import (
	"context"
	"strconv"
	"sync"

	"github.com/safelight/safelight/graph/model"
	"github.com/safelight/safelight/imaging"
	"github.com/safelight/safelight/timeseries"
)

// inspector gives admins the output of the commands config and doctor for the running server.
type inspector struct {
	at      *site
	engine  imaging.Engine
	history *timeseries.Recorder // of the last hour
	one     sync.Mutex           // held during a diagnosis, so that only one runs
}

// Settings implements graph.Operator.
func (i *inspector) Settings(ctx context.Context) ([]*model.Setting, error) {
	s := i.at.Settings
	status, err := i.at.Signing.ProcessorStatus(ctx)
	if err != nil {
		return nil, err
	}
	stored := map[string]string{} // by setting name
	if status.Configured && !status.IsOverriddenByConfig {
		stored = map[string]string{"processor-secret": "********", "signer-type": string(status.SignerType),
			"signer-truncate": strconv.Itoa(status.SignerTruncate)}
	}
	if chosen := i.at.Files().Chosen; chosen != "" {
		stored["storage"] = chosen
	}
	list := make([]*model.Setting, len(settingsTable))
	for n, row := range settingsTable {
		from := s.origins[row.Name]
		one := &model.Setting{Name: row.Name, Value: shownValue(row, s), Default: row.Default, Secret: row.Secret,
			Source:      from.where,
			Environment: row.Env(), Group: row.Group, Description: row.Help, Origin: placeNames[from.place]}
		if text := stored[row.Name]; from.place == placeDefault && text != "" {
			one.Value, one.Origin, one.Source = text, model.SettingOriginDatabase, "database"
		}
		list[n] = one
	}
	return list, nil
}

// placeNames are the API's names of places.
var placeNames = map[place]model.SettingOrigin{placeFlag: model.SettingOriginFlag,
	placeEnv:  model.SettingOriginEnvironment,
	placeFile: model.SettingOriginFile, placeDefault: model.SettingOriginDefault}

// Diagnose implements graph.Operator. It runs the checks of doctor, but does not start another engine and workers.
func (i *inspector) Diagnose(ctx context.Context) ([]*model.Finding, error) {
	i.one.Lock()
	defer i.one.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, s := &diagnosis{}, i.at.Settings
	d.running(i.engine)
	if imaging.Isolation(s.Isolation) == imaging.IsolateNone {
		d.warn("isolation", isolationOff)
	} else {
		d.report("isolation", s.Isolation, nil)
	}
	d.fonts()
	d.data(s)
	d.keys(s)
	d.database(ctx, s)
	d.storage(ctx, s)
	err := i.at.live.Problem()
	if err == nil {
		err = i.at.live.Files().Gallery.Ready(ctx)
	}
	if err != nil { // otherwise it is the storage that was checked above
		d.report("storage in use", "", err)
	}
	d.serving(ctx, s)
	list := make([]*model.Finding, len(d.findings))
	for n, f := range d.findings {
		list[n] = &model.Finding{Check: f.what, Ok: f.ok, Warning: f.warning, Message: f.text}
	}
	return list, nil
}
