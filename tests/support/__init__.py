"""What several tests share: small worlds, servers, readers and printers."""
