"""Questions of three authors over public files that packages carry."""
