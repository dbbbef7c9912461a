package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/safelight/safelight/accounts"
	"github.com/safelight/safelight/auth"
	"github.com/safelight/safelight/ent"
)

// passwordFlags are the possible sources of a password. The command line is not one of them, because other users can
// read it.
type passwordFlags struct {
	PasswordStdin bool
}

func (f *passwordFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.PasswordStdin, "password-stdin", false,
		"Read the password from the first line of stdin. Default: generate and print one.")
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

func (p *program) userCreate() *cobra.Command {
	role, displayName := string(auth.RoleUser), ""
	var secret passwordFlags
	command := &cobra.Command{Use: "create <username>", Short: "Create an account."}
	command.RunE = func(_ *cobra.Command, args []string) error {
		at, err := p.openSite()
		if err != nil {
			return err
		}
		defer at.Close()
		password, generated, err := secret.read(p.stdin, args[0])
		if err != nil {
			return err
		}
		u, err := at.Accounts.CreateUser(operator(p.ctx), accounts.CreateUserInput{
			DisplayName: cmp.Or(displayName, args[0]), Username: args[0], Password: password, Role: auth.Role(role)})
		if err != nil {
			return err
		}
		return printPassword(p, "created "+role+" "+u.Username, password, generated)
	}
	command.Flags().StringVar(&displayName, "display-name", "", "Display name as `TEXT`. Default: the username.")
	secret.add(command.Flags())
	roles := []string{string(auth.RoleAdmin), string(auth.RoleUser)}
	command.Flags().Var(&wordFlag{&role, roles}, "role", "`ROLE` of the account: admin or user.")
	_ = command.RegisterFlagCompletionFunc("role", oneOf(roles)) // fails only for an unknown flag
	return command
}

// printPassword reports the change and, if the password was generated, prints it.
func printPassword(p *program, done, password string, generated bool) error {
	if generated {
		done += ", password " + password
	}
	_, err := fmt.Fprintln(p.stdout, done)
	return err
}

func (p *program) userList() *cobra.Command {
	search := ""
	command := &cobra.Command{Use: "list", Short: "List accounts."}
	command.RunE = p.withSite(func(at *site, _ []string) error {
		users, _, err := at.Accounts.Users(operator(p.ctx), 0, 0, search)
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
			fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\t%s\n", u.Username, u.Role, u.IsActive,
				u.CreatedAt.UTC().Format("2006-01-02"), login, u.DisplayName)
		}
		return w.Flush()
	})
	command.Flags().StringVar(&search, "search", "", "Only names that contain `TEXT`.")
	return command
}

func (p *program) userResetPassword() *cobra.Command {
	var secret passwordFlags
	var apiTokens bool
	command := &cobra.Command{
		Use:   "reset-password <username>",
		Short: "Reset the password of an account and end its sessions.",
	}
	command.RunE = p.withSite(func(at *site, args []string) error {
		u, err := findUser(p, at, args[0])
		if err != nil {
			return err
		}
		password, generated, err := secret.read(p.stdin, args[0])
		if err != nil {
			return err
		}
		err = at.Accounts.ChangePassword(operator(p.ctx), accounts.NewPassword{
			UserID: &u.ID, Password: password, APITokens: apiTokens,
		})
		if err != nil {
			return err
		}
		return printPassword(p, "changed the password of "+u.Username, password, generated)
	})
	secret.add(command.Flags())
	addRevoke(command, &apiTokens)
	return command
}

func (p *program) userEmergencyPassword() *cobra.Command {
	return &cobra.Command{
		Use:   "emergency-password <username>",
		Short: "Print a password with which an admin logs in once within 15 minutes while password-login is off.",
		RunE: p.withSite(func(at *site, args []string) error {
			u, err := findUser(p, at, args[0])
			if err != nil {
				return err
			}
			password, err := at.Accounts.EmergencyPassword(operator(p.ctx), u)
			if err != nil {
				return err
			}
			return printPassword(p, "for 15 minutes, at /login?password: "+u.Username, password, true)
		}),
	}
}

func (p *program) userResetSecondFactor() *cobra.Command {
	var apiTokens bool
	command := &cobra.Command{
		Use:   "reset-second-factor <username>",
		Short: "Remove the second factors of an account and end its sessions.",
		RunE: p.withSite(func(at *site, args []string) error {
			u, err := findUser(p, at, args[0])
			if err != nil {
				return err
			}
			if err := at.Accounts.ResetFactors(operator(p.ctx), u.ID, apiTokens); err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.stdout, "removed the second factors of "+u.Username)
			return err
		}),
	}
	addRevoke(command, &apiTokens)
	return command
}

// addRevoke adds the flag of commands that can also revoke API tokens.
func addRevoke(command *cobra.Command, apiTokens *bool) {
	command.Flags().BoolVar(apiTokens, "revoke-api-tokens", false, "Also revoke the API tokens of the account.")
}

func (p *program) userUnlink() *cobra.Command {
	return &cobra.Command{
		Use:   "unlink <username>",
		Short: "Unlink an account from its OpenID Connect providers and end its sessions.",
		RunE: p.withSite(func(at *site, args []string) error {
			u, err := findUser(p, at, args[0])
			if err != nil {
				return err
			}
			if err := at.Accounts.Unlink(operator(p.ctx), u.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.stdout, "unlinked "+u.Username)
			return err
		}),
	}
}

func (p *program) userDeactivate() *cobra.Command {
	return &cobra.Command{
		Use:   "deactivate <username>",
		Short: "Deactivate an account and end its sessions.",
		RunE: p.withSite(func(at *site, args []string) error {
			u, err := findUser(p, at, args[0])
			if err != nil {
				return err
			}
			if err := at.Accounts.DeactivateAccount(operator(p.ctx), &u.ID); err != nil {
				return err
			}
			_, err = fmt.Fprintln(p.stdout, "deactivated "+u.Username)
			return err
		}),
	}
}

// findUser returns the account with the given name, ignoring case.
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
