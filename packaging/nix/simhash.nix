# Nix: the extension for a PostgreSQL of nixpkgs, from these sources:
#
#   nix-build -E '(import <nixpkgs> { }).postgresql_18.pkgs.callPackage ./packaging/nix/simhash.nix { }'
{
  lib,
  icu,
  pkg-config,
  postgresql,
  postgresqlBuildExtension,
  postgresqlTestExtension,
  xxHash,
}:

postgresqlBuildExtension (finalAttrs: {
  pname = "simhash";
  version = "1.0.0";
  src = lib.cleanSource ../..;

  nativeBuildInputs = [ pkg-config ];
  buildInputs = [ icu xxHash ];
  enableUpdateScript = false;

  passthru.tests.extension = postgresqlTestExtension {
    inherit (finalAttrs) finalPackage;
    sql = ''
      CREATE EXTENSION simhash;
      SELECT minhash('a b c') <-> minhash('a b d');
    '';
  };

  meta = {
    description = "Near-duplicate search: fingerprints, Hamming distance, indexes";
    homepage = "https://simhash.invalid/";
    # the build refuses machines of 32 bits and big-endian machines
    platforms = lib.intersectLists postgresql.meta.platforms
      (lib.platforms.x86_64 ++ lib.platforms.aarch64 ++ lib.platforms.riscv64);
    license = with lib.licenses; [ postgresql unicode-dfs-2016 ];
  };
})
