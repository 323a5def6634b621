# Homebrew on Linux: there is no package for macOS.
class Plumbline < Formula
  desc "Measures, compares and explains storage performance"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :linux

  on_arm do
    url "@URL@/@ARM_TAR@"
    sha256 "@ARM_TAR_SHA256@"
  end
  on_intel do
    url "@URL@/@LINUX_TAR@"
    sha256 "@LINUX_TAR_SHA256@"
  end

  def install
    bin.install "plumb"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/plumb.bash" => "plumb"
    zsh_completion.install "completions/_plumb"
    fish_completion.install "completions/plumb.fish"
  end

  test do
    assert_match "plumb #{version}", shell_output("#{bin}/plumb --version")
    system bin/"plumb", "run", "--target", "null:", "--pattern", "random-read", "--operations", "1000", "--no-report"
  end
end
