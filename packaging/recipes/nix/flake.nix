{
  description = "Measures, compares and explains storage performance, from device to file share";

  inputs.nixpkgs.url = "nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      sources = {
        x86_64-linux = { url = "@URL@/@LINUX_TAR@"; sha256 = "@LINUX_TAR_SHA256@"; };
        aarch64-linux = { url = "@URL@/@ARM_TAR@"; sha256 = "@ARM_TAR_SHA256@"; };
      };
      package = system: source:
        let pkgs = nixpkgs.legacyPackages.${system};
        in {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "plumbline";
            version = "@VERSION@";
            src = pkgs.fetchurl source;
            nativeBuildInputs = [ pkgs.installShellFiles ];
            dontStrip = true;
            installPhase = ''
              install -D -m 755 plumb $out/bin/plumb
              installManPage man/*.1
              installShellCompletion --cmd plumb --bash completions/plumb.bash --zsh completions/_plumb --fish completions/plumb.fish
            '';
            meta = {
              homepage = "@HOMEPAGE@";
              license = with pkgs.lib.licenses; [ mit asl20 ];
              mainProgram = "plumb";
              platforms = [ system ];
              sourceProvenance = [ pkgs.lib.sourceTypes.binaryNativeCode ];
            };
          };
        };
    in {
      packages = builtins.mapAttrs package sources;
    };
}
