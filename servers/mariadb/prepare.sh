# Makes an empty data folder in SCRATCH/data with one database, steelyard, whose one user is steelyard with the password in
# STEELYARD_PASSWORD: prepare.sh SCRATCH.
set -eu
scratch=$1
. ../common/as-user.sh
umask 077
as_user mariadb-install-db --no-defaults --datadir="$scratch/data" --auth-root-authentication-method=normal --skip-test-db --skip-name-resolve \
  >"$scratch/install.log" 2>&1
# On standard input, not on a command line, which all may see. Without privileges loaded no user can be made.
as_user mariadbd --no-defaults --datadir="$scratch/data" --tmpdir="$scratch/data" --bootstrap >>"$scratch/install.log" 2>&1 <<END
CREATE DATABASE steelyard CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
FLUSH PRIVILEGES;
CREATE USER 'steelyard'@'%' IDENTIFIED BY '${STEELYARD_PASSWORD:?is not set}';
GRANT ALL ON steelyard.* TO 'steelyard'@'%';
END
