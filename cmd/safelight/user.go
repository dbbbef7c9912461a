package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
)

type userCommand struct {
	Create        userCreate        `cmd:"" help:"Create an account."`
	List          userList          `cmd:"" help:"List accounts."`
	ResetPassword userResetPassword `cmd:"" help:"Reset the password of an account and end its sessions."`
	Deactivate    userDeactivate    `cmd:"" help:"Deactivate an account and end its sessions."`
}

// passwordFlags are the sources of a password: never the command line, which others can read.
type passwordFlags struct {
	PasswordStdin bool `help:"Read the password from the first line of stdin. Default: generate and print one."`
}

// read returns the password, and whether it was generated for the username.
func (f passwordFlags) read(stdin io.Reader, username string) (password string, generated bool, err error) {
	if !f.PasswordStdin {
		return auth.GeneratePassword(username), true, nil
	}
	line, err := bufio.NewReader(stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, err
	}
	return strings.TrimRight(line, "\r\n"), false, nil
}

type userCreate struct {
	Username    string `arg:"" help:"Login name."`
	DisplayName string `placeholder:"TEXT" help:"Display name. Default: the username."`
	Role        string `enum:"admin,user" default:"user" help:"admin or user."`
	passwordFlags
}

// Run creates the account.
func (c userCreate) Run(p *program) error {
	at, err := p.openSite()
	if err != nil {
		return err
	}
	defer at.Close()
	password, generated, err := c.read(p.stdin, c.Username)
	if err != nil {
		return err
	}
	if c.DisplayName == "" {
		c.DisplayName = c.Username
	}
	u, err := at.Accounts.CreateUser(operator(p.ctx), accounts.CreateUserInput{
		DisplayName: c.DisplayName, Username: c.Username, Password: password, Role: auth.Role(c.Role)})
	if err != nil {
		return err
	}
	return printPassword(p, "created "+c.Role+" "+u.Username, password, generated)
}

// printPassword reports the change and, if the password was generated, prints it.
func printPassword(p *program, done, password string, generated bool) error {
	if generated {
		done += ", password " + password
	}
	_, err := fmt.Fprintln(p.stdout, done)
	return err
}

type userList struct {
	Search string `placeholder:"TEXT" help:"Only names that contain this text."`
}

// Run lists the accounts.
func (c userList) Run(p *program) error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	users, _, err := at.Accounts.Users(operator(p.ctx), 0, 0, c.Search)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "USERNAME\tROLE\tACTIVE\tCREATED\tLAST LOGIN\tNAME")
	for _, u := range users {
		login := "never"
		if u.LastLoginAt != nil {
			login = u.LastLoginAt.UTC().Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\t%s\n", u.Username, u.Role, u.IsActive, u.CreatedAt.UTC().Format("2006-01-02"), login, u.DisplayName)
	}
	return w.Flush()
}

type userResetPassword struct {
	Username string `arg:"" help:"Login name of the account."`
	passwordFlags
}

// Run changes the password.
func (c userResetPassword) Run(p *program) error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	u, err := findUser(p, at, c.Username)
	if err != nil {
		return err
	}
	password, generated, err := c.read(p.stdin, c.Username)
	if err != nil {
		return err
	}
	if err := at.Accounts.ChangePassword(operator(p.ctx), &u.ID, "", password); err != nil {
		return err
	}
	return printPassword(p, "changed the password of "+u.Username, password, generated)
}

type userDeactivate struct {
	Username string `arg:"" help:"Login name of the account."`
}

// Run deactivates the account.
func (c userDeactivate) Run(p *program) error {
	at, err := p.openExisting()
	if err != nil {
		return err
	}
	defer at.Close()
	u, err := findUser(p, at, c.Username)
	if err != nil {
		return err
	}
	if err := at.Accounts.DeactivateAccount(operator(p.ctx), &u.ID); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, "deactivated "+u.Username)
	return err
}

// findUser returns the account of that name, case-insensitive.
func findUser(p *program, at *site, username string) (*ent.User, error) {
	users, _, err := at.Accounts.Users(operator(p.ctx), 0, 0, username)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		if strings.EqualFold(u.Username, username) {
			return u, nil
		}
	}
	return nil, fmt.Errorf("there is no account named %s", username)
}
