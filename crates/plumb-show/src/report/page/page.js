// What can a reader do with the figures of a page? Read values at the pointer, zoom, hide series, change the scale and the theme, and take a
// figure along. Without this script the figures stand as they are drawn.
'use strict';
(() => {
const words = JSON.parse(document.getElementById('words').textContent);
const SVG = 'http://www.w3.org/2000/svg';
const DASHES = {solid: 'solid', dashed: 'dashed', dotted: 'dotted'};
const element = (name, attributes, parent) => {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.append(made);
  return made;
};
const html = (name, attributes, parent) => {
  const made = document.createElement(name);
  Object.assign(made, attributes);
  if (parent) parent.append(made);
  return made;
};

// Numbers as plumb writes them: three significant digits, and the unit that makes them short.
const three = value => {
  const size = Math.abs(value);
  if (size === 0 || size >= 99.95) return value.toFixed(0);
  if (size < 1e-4) return value.toExponential(2);
  const decimals = size >= 9.995 ? 1 : size >= 0.01 ? 2 : 2 - Math.floor(Math.log10(size));
  return value.toFixed(decimals).replace(/\.?0+$/, '');
};
const grouped = value => Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
const count = value => {
  if (Math.abs(value) < 1000) return three(value);
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 2);
  return grouped(Math.round(value / step) * step);
};
const scaled = (value, base, units) => {
  let place = 0;
  while (place < units.length - 1 && Math.abs(value) >= base * 0.9995) { value /= base; place++; }
  return three(value) + ' ' + units[place];
};
const clock = seconds => {
  const whole = Math.round(seconds), two = number => String(number).padStart(2, '0');
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  return hours ? hours + ':' + two(minutes) + ':' + two(whole % 60) : minutes + ':' + two(whole % 60);
};
const latency = ns => ns < 60e9 ? scaled(ns, 1000, ['ns', 'µs', 'ms', 's']) : clock(ns / 1e9);
const text = (quantity, value) => {
  switch (quantity) {
    case 'rate': return count(value) + '/s';
    case 'bandwidth': return scaled(value, 1000, ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s']);
    case 'bits': return scaled(value, 1000, ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s']);
    case 'size': return scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
    case 'latency': return latency(value);
    case 'elapsed': return Math.abs(value) < 120 ? +value.toFixed(3) + ' s' : clock(value);
    case 'percent': return three(value) + ' %';
    case 'ratio': return '×' + count(value);
    case 'nines': return +(100 * (1 - 10 ** -value)).toFixed(Math.max(0, Math.round(value) - 2) + 1) + ' %';
    default: return count(value);
  }
};

// One axis of a view: from values to positions and back, and its ticks.
class Axis {
  constructor(axis) {
    this.quantity = axis.q;
    this.names = Array.isArray(axis.s) ? axis.s : null;
    this.log = axis.s === 'log';
    [this.low, this.high, this.from, this.to] = axis.e;
  }
  of(value) { return this.log ? Math.log10(value) : value; }
  place(value) {
    if (value === null || !isFinite(value) || this.log && value <= 0) return null;
    const share = (this.of(value) - this.of(this.low)) / (this.of(this.high) - this.of(this.low));
    return this.from + share * (this.to - this.from);
  }
  value(place) {
    const share = (place - this.from) / (this.to - this.from);
    const at = this.of(this.low) + share * (this.of(this.high) - this.of(this.low));
    return this.log ? 10 ** at : at;
  }
  // As it stands at a tick: the label of the axis says the rest.
  tick(value) {
    return this.quantity === 'rate' ? grouped(value) === '0' ? count(value) : grouped(value) : this.text(value);
  }
  text(value) {
    return this.names ? this.names[Math.round(value)] ?? '' : text(this.quantity, value);
  }
  ticks() {
    const {low, high} = this, ticks = [];
    if (this.names) {
      const every = Math.max(1, Math.ceil((high - low) / 12));
      for (let at = Math.max(0, Math.ceil(low)); at <= Math.min(high, this.names.length - 1); at += every) ticks.push(at);
    } else if (this.log && high / low > 5) {
      const decades = Math.log10(high / low), factors = decades <= 2.2 ? [1, 2, 5] : [1];
      for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
        for (const factor of factors) ticks.push(factor * 10 ** power);
    } else {
      const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(step => step >= rough * 0.999);
      for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) ticks.push(+at.toPrecision(12));
    }
    return ticks.filter(tick => tick >= low * (1 - 1e-9) - 1e-12 && tick <= high * (1 + 1e-9));
  }
}

const SHAPES = [
  r => `M${-r},0a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0z`,
  r => `M${-.9 * r},${-.9 * r}h${1.8 * r}v${1.8 * r}h${-1.8 * r}z`,
  r => `M0,${-1.2 * r}L${1.15 * r},${.9 * r}L${-1.15 * r},${.9 * r}z`,
  r => `M0,${-1.3 * r}L${1.3 * r},0L0,${1.3 * r}L${-1.3 * r},0z`,
  r => `M${-1.15 * r},${-.9 * r}L${1.15 * r},${-.9 * r}L0,${1.2 * r}z`,
  r => `M${-.4 * r},${-1.2 * r}h${.8 * r}v${.8 * r}h${.8 * r}v${.8 * r}h${-.8 * r}v${.8 * r}h${-.8 * r}v${-.8 * r}h${-.8 * r}v${-.8 * r}h${.8 * r}z`,
];

class Figure {
  constructor(figure, data) {
    this.figure = figure;
    this.data = data;
    this.drawing = figure.querySelector('.drawing');
    this.svg = this.drawing.querySelector('svg');
    [this.left, this.top, this.width, this.height] = data.plot;
    this.hidden = new Set();
    this.lines = data.m.map((mark, index) => ({...mark, index, xs: data.xs[mark.x]})).filter(mark => mark.t === 'line');
    this.bars = data.m.map((mark, index) => ({...mark, index})).filter(mark => mark.t === 'bars' || mark.t === 'rows');
    this.redrawable = this.lines.length > 0 && data.m.every(mark => ['line', 'span', 'rule', 'whiskers'].includes(mark.t));
    this.reset();
    this.legend();
    this.tools();
    this.pointer();
  }
  reset() {
    this.x = new Axis(this.data.x);
    this.y = new Axis(this.data.y);
    this.changed = false;
  }
  named() { return this.data.m.map((mark, index) => ({...mark, index})).filter(mark => mark.n && mark.v !== undefined || mark.n && mark.t === 'line'); }
  // A mark is hidden when the one that bears its name is: the 99th percentile of a curve has none of its own.
  isHidden(mark) {
    if (this.hidden.has(mark.index)) return true;
    return !mark.n && this.data.m.some((other, index) => other.h === mark.h && other.n && this.hidden.has(index));
  }
  // An image holds no buttons: a figure with a legend becomes a group, in which a screen reader finds the title, the description and the buttons.
  legend() {
    const keys = this.svg.querySelectorAll('.key-of');
    if (!keys.length) return;
    this.svg.setAttribute('role', 'group');
    for (const part of this.svg.children) if (!part.matches('title,desc,.key-of')) part.setAttribute('aria-hidden', 'true');
    for (const key of keys) {
      const index = +key.dataset.m;
      key.setAttribute('role', 'button');
      key.setAttribute('tabindex', '0');
      key.setAttribute('aria-pressed', 'true');
      const toggle = () => {
        const name = this.data.m[index].n;
        const hide = !this.hidden.has(index);
        this.data.m.forEach((mark, other) => {
          if (mark.n === name && mark.h === this.data.m[index].h) this.hidden[hide ? 'add' : 'delete'](other);
        });
        key.classList.toggle('off', hide);
        key.setAttribute('aria-pressed', String(!hide));
        this.show();
      };
      key.addEventListener('click', toggle);
      key.addEventListener('keydown', event => {
        if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); toggle(); }
      });
    }
  }
  button(label, title, action) {
    const made = html('button', {type: 'button', textContent: label, title, onclick: action}, this.bar);
    return made;
  }
  tools() {
    this.bar = html('div', {className: 'tools'});
    this.figure.insertBefore(this.bar, this.drawing);
    if (this.redrawable) {
      this.back = this.button(words.reset, words.zoom, () => { this.reset(); this.show(); });
      this.back.hidden = true;
      const y = this.data.y.s;
      const values = this.lines.flatMap(line => line.y).filter(value => value !== null);
      if (y === 'log' || y === 'lin' && values.some(value => value > 0)) {
        this.scale = this.button('', words.scale, () => { this.toggleScale(); this.show(); });
        this.scale.textContent = y === 'log' ? words.linear : words.logarithmic;
        this.scale.dataset.scale = y === 'log' ? 'linear' : 'logarithmic';
      }
    }
    this.button('SVG', words.svg, () => this.save('svg', this.standalone(), 'image/svg+xml'));
    this.button('PNG', words.png, () => this.canvas(canvas => this.download(canvas['toDataURL']('image/png'), 'png')));
    this.button('CSV', words.csv, () => this.save('csv', this.csv(), 'text/csv'));
    const copy = this.button(words.copy, words.copied_what, () => this.copy(copy));
  }
  toggleScale() {
    const values = this.lines.flatMap(line => line.y).filter(value => value !== null && (this.y.log || value > 0));
    this.y.log = !this.y.log;
    const low = Math.min(...values), high = Math.max(...values);
    if (this.y.log) {
      this.y.low = 10 ** Math.floor(Math.log10(low) * 1.0000001);
      this.y.high = high > this.y.low * 1.01 ? high * 1.1 : this.y.low * 10;
    } else {
      this.y.low = Math.min(0, low);
      this.y.high = high * 1.05 || 1;
    }
    const initial = this.y.log === (this.data.y.s === 'log');
    if (initial) { const first = new Axis(this.data.y); [this.y.low, this.y.high] = [first.low, first.high]; }
    this.scale.textContent = this.y.log ? words.linear : words.logarithmic;
    this.changed = true;
  }
  // Draws the view anew where it is not the one that the page came with, and hides what is switched off.
  show() {
    this.svg.querySelector('.redrawn')?.remove();
    // The values at the pointer lay where the last view had them.
    this.leave();
    const initial = this.data;
    const changed = this.x.low !== initial.x.e[0] || this.x.high !== initial.x.e[1] || this.y.log !== (initial.y.s === 'log');
    for (const part of this.svg.querySelectorAll('.frame,.point-labels')) part.style.display = changed ? 'none' : '';
    for (const part of this.svg.querySelectorAll('.mark')) {
      const mark = {...initial.m[+part.dataset.m], index: +part.dataset.m};
      part.style.display = changed || this.isHidden(mark) ? 'none' : '';
    }
    if (this.hidden.size) for (const part of this.svg.querySelectorAll('.point-labels')) part.style.display = 'none';
    if (this.back) this.back.hidden = !changed;
    if (this.scale && !changed) this.scale.textContent = this.y.log ? words.linear : words.logarithmic;
    if (changed) this.redraw();
  }
  redraw() {
    const group = element('g', {class: 'redrawn', 'aria-hidden': 'true'});
    this.svg.insertBefore(group, this.svg.querySelector('.key-of'));
    const bottom = this.top + this.height, right = this.left + this.width;
    const inner = element('svg', {x: this.left, y: this.top - 1, width: this.width, height: this.height + 2,
      viewBox: `${this.left} ${this.top - 1} ${this.width} ${this.height + 2}`, overflow: 'hidden'}, group);
    let odd = false;
    for (const mark of this.data.m) {
      if (mark.t !== 'span') continue;
      odd = !odd;
      const [from, to] = mark.x.map(x => this.x.place(x));
      if (odd && from !== null) element('rect', {class: 'shade', x: from, y: this.top, width: Math.max(0, to - from), height: this.height}, inner);
      const width = Math.min(to, this.left + this.width) - Math.max(from, this.left);
      if (width > mark.n.length * 6.5 + 8) element('text', {class: 'span-name', x: Math.max(from, this.left) + 4, y: this.top + 12}, inner).textContent = mark.n;
    }
    let free = -Infinity;
    for (const tick of this.y.ticks()) {
      const y = this.y.place(tick);
      element('line', {class: 'grid', x1: this.left, x2: right, y1: y, y2: y}, group);
      element('text', {class: 'tick', 'text-anchor': 'end', x: this.left - 8, y: y + 4.5}, group).textContent = this.y.tick(tick);
    }
    for (const tick of this.x.ticks()) {
      const x = this.x.place(tick), label = this.x.tick(tick), half = label.length * 3.8;
      element('line', {class: 'grid', x1: x, x2: x, y1: this.top, y2: bottom}, group);
      if (x - half < free) continue;
      const middle = Math.min(x, this.svg.viewBox.baseVal.width - half - 4);
      element('text', {class: 'tick', 'text-anchor': 'middle', x: middle, y: bottom + 18}, group).textContent = label;
      free = x + half + 8;
    }
    element('line', {class: 'axis', x1: this.left, x2: right, y1: bottom, y2: bottom}, group);
    // The label of the axis tells its scale in brackets: it holds for the scale that the page came with.
    const label = this.y.log === (this.data.y.s === 'log') ? this.data.y.l : this.data.y.l.replace(/\s*[(（][^()（）]*[)）]$/, '');
    element('text', {class: 'label', x: 2, y: 13}, group).textContent = label;
    element('text', {class: 'label', 'text-anchor': 'end', x: right, y: bottom + 38}, group).textContent = this.data.x.l;
    group.append(inner);
    this.data.m.forEach((mark, index) => this.mark({...mark, index, xs: this.data.xs[mark.x]}, inner));
  }
  mark(mark, parent) {
    if (this.isHidden(mark)) return;
    if (mark.t === 'rule') {
      const at = (mark.up ? this.x : this.y).place(mark.at);
      if (at === null) return;
      element('line', mark.up ? {class: 'rule', x1: at, x2: at, y1: this.top, y2: this.top + this.height}
        : {class: 'rule', x1: this.left, x2: this.left + this.width, y1: at, y2: at}, parent);
    } else if (mark.t === 'whiskers') {
      for (let at = 0; at < mark.v.length; at += 3) {
        const x = this.x.place(mark.v[at]), low = this.y.place(mark.v[at + 1]), high = this.y.place(mark.v[at + 2]);
        if (x !== null && low !== null && high !== null) element('path', {class: 'interval thin c' + mark.h, d: `M${x},${low}V${high}`}, parent);
      }
    } else if (mark.t === 'line') {
      this.line(mark, parent);
    }
  }
  line(mark, parent) {
    let path = '', pen = false, marker = '', next = -Infinity, stall = '';
    mark.y.forEach((value, at) => {
      const x = this.x.place(mark.xs[at]), y = this.y.place(value);
      if (x !== null && value !== null && value <= 0 && this.y.log) stall += `M${x - 2},${this.y.from}h4`;
      if (x === null || y === null) { pen = false; return; }
      path += `${pen ? 'L' : 'M'}${x.toFixed(1)},${y.toFixed(1)}`;
      const alone = !pen && (at + 1 >= mark.y.length || this.y.place(mark.y[at + 1]) === null);
      pen = true;
      if (x < this.left || x > this.left + this.width) return;
      if (mark.d || alone || this.data.marked && x >= next) {
        next = x + this.width / 6;
        element('path', {class: (mark.h < 6 ? 'dot c' : 'dot open c') + mark.h, d: SHAPES[mark.h % 6](mark.d ? 4.5 : 3.6), transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`}, parent);
      }
    });
    parent.insertBefore(element('path', {class: `stroke ${DASHES[mark.k]} c${mark.h}`, d: path}), parent.firstChild);
    if (stall) element('path', {class: 'stall c' + mark.h, d: stall}, parent);
  }

  // From a position on the screen to one in the figure.
  inside(event) {
    const box = this.svg.getBoundingClientRect(), view = this.svg.viewBox.baseVal;
    const scale = view.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }
  pointer() {
    this.tip = html('div', {className: 'tip', hidden: true}, this.drawing);
    this.tip.setAttribute('role', 'status');
    const svg = this.svg;
    svg.addEventListener('pointermove', event => this.move(event));
    svg.addEventListener('pointerleave', () => this.leave());
    svg.addEventListener('pointerdown', event => {
      const [x, y] = this.inside(event);
      if (!this.redrawable || event.button || y < this.top || y > this.top + this.height || x < this.left) return;
      this.drag = x;
      event.preventDefault();
      this.drawing.focus({preventScroll: true});
    });
    addEventListener('pointerup', event => {
      if (this.drag === undefined) return;
      const [from, to] = [this.drag, this.inside(event)[0]].sort((a, b) => a - b);
      this.drag = undefined;
      this.svg.querySelector('.chosen')?.remove();
      if (to - from > 6) this.zoom(from, to);
    });
    svg.addEventListener('dblclick', () => { if (this.redrawable) { this.reset(); this.show(); } });
    this.drawing.addEventListener('keydown', event => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (event.key === 'Escape') { this.reset(); this.show(); this.leave(); }
      if (!by || event.target !== this.drawing || !this.lines.length) return;
      event.preventDefault();
      const xs = this.allX();
      const now = this.at === undefined ? -1 : xs.findIndex(x => x >= this.at);
      const at = xs[Math.min(xs.length - 1, Math.max(0, now + by))];
      if (at !== undefined) this.crosshair(at, this.top + 20);
    });
  }
  allX() {
    const shown = this.lines.filter(line => !this.isHidden(line));
    const xs = shown.flatMap(line => line.xs.filter((x, at) => x !== null && line.y[at] !== null && x >= this.x.low && x <= this.x.high));
    return [...new Set(xs)].sort((a, b) => a - b);
  }
  zoom(from, to) {
    const clamped = place => Math.min(this.left + this.width, Math.max(this.left, place));
    const [low, high] = [this.x.value(clamped(from)), this.x.value(clamped(to))];
    if (high > low) { this.x.low = low; this.x.high = high; this.show(); }
  }
  move(event) {
    const [x, y] = this.inside(event);
    if (this.drag !== undefined) {
      const rect = this.svg.querySelector('.chosen') ?? element('rect', {class: 'chosen', y: this.top, height: this.height}, this.svg);
      rect.setAttribute('x', Math.min(x, this.drag));
      rect.setAttribute('width', Math.abs(x - this.drag));
      return;
    }
    if (x < this.left - 4 || x > this.left + this.width + 4 || y < this.top - 4 || y > this.top + this.height + 4) return this.leave();
    if (this.lines.length) {
      const xs = this.allX();
      if (!xs.length) return;
      const distance = value => Math.abs(this.x.place(value) - x);
      this.crosshair(xs.reduce((best, value) => distance(value) < distance(best) ? value : best), y);
    } else {
      this.categories(x, y);
    }
  }
  // The values of all series at one place of the x axis. A series without a point there says nothing.
  crosshair(at, y) {
    this.at = at;
    const rows = [];
    const place = this.x.place(at);
    this.svg.querySelector('.crosshair')?.remove();
    const group = element('g', {class: 'crosshair'}, this.svg);
    element('line', {x1: place, x2: place, y1: this.top, y2: this.top + this.height}, group);
    for (const line of this.lines) {
      if (this.isHidden(line)) continue;
      const found = line.xs.findIndex((x, index) => x === at && line.y[index] !== null);
      if (found < 0) continue;
      const value = line.y[found], top = this.y.place(value);
      if (top !== null) element('circle', {class: 'c' + line.h, cx: place, cy: top, r: 5}, group);
      rows.push([line.h, line.n || this.nameOf(line), text(this.data.y.q, value)]);
    }
    const span = this.data.m.find(mark => mark.t === 'span' && at >= mark.x[0] && at <= mark.x[1]);
    this.tell((span ? span.n + ' · ' : '') + this.x.text(at), rows, place, y);
  }
  nameOf(line) {
    const owner = this.data.m.find(mark => mark.t === 'line' && mark.n && mark.h === line.h);
    return (owner ? owner.n : '') + (line.k === 'solid' ? '' : ' (- -)');
  }
  categories(x, y) {
    const upright = this.bars.some(mark => mark.t === 'bars');
    const cells = this.data.m.find(mark => mark.t === 'cells' && mark.v);
    const axis = upright ? this.x : this.y;
    if (!axis.names) return;
    const at = Math.min(axis.names.length - 1, Math.max(0, Math.round(axis.value(upright ? x : y))));
    const quantity = (upright ? this.data.y : this.data.x).q, rows = [];
    if (cells) {
      const time = this.x.value(x), column = cells.e.findIndex(edge => edge > time) - 1;
      const value = cells.v[at]?.[column];
      if (value !== undefined) rows.push([0, this.x.text(time), value === null ? '–' : text(cells.q, value)]);
    }
    for (const mark of this.bars) {
      if (this.isHidden(mark)) continue;
      mark.c.forEach((category, index) => {
        if (category !== at || mark.t === 'rows' && mark.c.filter(other => other === at).length > 3) return;
        const range = mark.r && mark.r[2 * index] !== null ? ` (${text(quantity, mark.r[2 * index])} – ${text(quantity, mark.r[2 * index + 1])})` : '';
        const value = mark.b && mark.b[index] ? mark.v[index] - mark.b[index] : mark.v[index];
        rows.push([mark.h, mark.n, text(quantity, value) + range]);
      });
    }
    this.tell(axis.names[at], rows, upright ? axis.place(at) : x, y);
  }
  tell(head, rows, x, y) {
    this.tip.replaceChildren();
    html('b', {textContent: head}, this.tip);
    for (const [hue, name, value] of rows) {
      const row = html('div', {className: 'palette'}, this.tip);
      html('i', {className: 'h' + hue}, row);
      html('span', {textContent: name}, row);
      html('em', {textContent: value}, row);
    }
    this.tip.hidden = false;
    const scale = this.svg.getBoundingClientRect().width / this.svg.viewBox.baseVal.width;
    const left = x * scale + 14, room = this.svg.getBoundingClientRect().width - this.tip.offsetWidth;
    this.tip.style.left = Math.max(0, left > room ? x * scale - 14 - this.tip.offsetWidth : left) + 'px';
    this.tip.style.top = Math.max(0, y * scale - this.tip.offsetHeight / 2) + 'px';
  }
  leave() {
    this.at = undefined;
    this.tip.hidden = true;
    this.svg.querySelector('.crosshair')?.remove();
  }

  // The figure as a file of its own, with the rules and the colours that hold now.
  standalone() {
    const copy = this.svg.cloneNode(true);
    for (const part of copy.querySelectorAll('.crosshair,.chosen')) part.remove();
    for (const part of copy.querySelectorAll('[role],[aria-hidden]'))
      for (const name of ['role', 'tabindex', 'aria-pressed', 'aria-hidden']) part.removeAttribute(name);
    copy.setAttribute('role', 'img');
    const now = getComputedStyle(this.svg), view = this.svg.viewBox.baseVal;
    const names = ['ink', 'muted', 'hair', 'line', 'paper', 'shade', 'c0', 'c1', 'c2', 'c3', 'c4', 'c5'];
    const colours = names.map(name => `--${name}:${now.getPropertyValue('--' + name)}`).join(';');
    const rules = document.getElementById('figure-style').textContent.split('\n').filter(line => !/^@media|^:root|^--/.test(line)).join('\n');
    const style = element('style', {});
    style.textContent = rules + '\n.figure{' + colours + '}';
    copy.prepend(style, element('rect', {class: 'ground', width: '100%', height: '100%'}));
    copy.setAttribute('width', view.width);
    copy.setAttribute('height', view.height);
    return new XMLSerializer().serializeToString(copy);
  }
  canvas(then) {
    const image = new Image(), view = this.svg.viewBox.baseVal;
    image.onload = () => {
      const canvas = html('canvas', {width: view.width * 2, height: view.height * 2});
      canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
      then(canvas);
    };
    image['src'] = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(this.standalone());
  }
  csv() {
    const cell = value => { value = value === null || value === undefined ? '' : String(value); return /[",\n]/.test(value) ? '"' + value.replace(/"/g, '""') + '"' : value; };
    const units = {rate: '1/s', bandwidth: 'B/s', bits: 'bit/s', size: 'B', latency: 'ns', elapsed: 's', percent: '%'};
    const titled = (name, quantity) => units[quantity] ? `${name} (${units[quantity]})` : name;
    const rows = [];
    if (this.lines.length) {
      rows.push([titled(this.data.x.l, this.data.x.q), ...this.lines.map(line => titled(line.n || this.nameOf(line), this.data.y.q))]);
      const xs = [...new Set(this.lines.flatMap(line => line.xs.filter((x, at) => x !== null && line.y[at] !== null)))].sort((a, b) => a - b);
      const maps = this.lines.map(line => new Map(line.xs.map((x, at) => [x, line.y[at]]).filter(pair => pair[1] !== null)));
      for (const x of xs) rows.push([this.x.names ? this.x.names[x] : x, ...maps.map(map => map.get(x))]);
    } else {
      const upright = this.bars.some(mark => mark.t === 'bars'), axis = upright ? this.x : this.y;
      rows.push([(upright ? this.data.x : this.data.y).l, '', titled('', (upright ? this.data.y : this.data.x).q)]);
      for (const mark of this.bars) mark.c.forEach((category, at) => rows.push([axis.names?.[category], mark.n, mark.v[at]]));
      for (const mark of this.data.m) if (mark.t === 'cells' && mark.v) mark.v.forEach((values, row) => rows.push([this.y.names[row], '', ...values]));
    }
    return rows.map(row => row.map(cell).join(',')).join('\n') + '\n';
  }
  save(ending, content, type) { this.download(`data:${type};charset=utf-8,` + encodeURIComponent(content), ending); }
  download(address, ending) { html('a', {href: address, download: `${this.figure.id}.${ending}`}).click(); }
  copy(button) {
    const done = said => { button.textContent = said; setTimeout(() => { button.textContent = words.copy; }, 1500); };
    const fail = () => done(words.not_copied);
    const plain = () => navigator.clipboard ? navigator.clipboard.writeText(this.standalone()).then(() => done(words.copied), fail) : fail();
    if (!window.ClipboardItem || !navigator.clipboard) return plain();
    this.canvas(canvas => canvas.toBlob(blob => navigator.clipboard.write([new ClipboardItem({'image/png': blob})]).then(() => done(words.copied), plain)));
  }
}

// The theme: as the system has it, light, or dark. Not every browser lets a file remember it.
const themes = ['auto', 'light', 'dark'];
const remembered = () => { try { return localStorage.getItem('plumb-theme'); } catch { return null; } };
let theme = themes.includes(remembered()) ? remembered() : 'auto';
const button = html('button', {type: 'button', className: 'theme'}, document.querySelector('header'));
const apply = () => {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  button.textContent = words[theme];
  button.title = words.theme;
};
button.addEventListener('click', () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  try { localStorage.setItem('plumb-theme', theme); } catch { /* it holds until the page is closed */ }
  apply();
});
apply();

// A filter for long lists: rows whose text has all the words.
for (const field of document.querySelectorAll('input[data-filters]')) {
  field.hidden = false;
  const rows = [...document.getElementById(field.dataset.filters).querySelectorAll('tbody tr')];
  field.addEventListener('input', () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) row.hidden = !wanted.every(word => row.textContent.toLowerCase().includes(word));
  });
}

// A table that fits needs no stop for the keyboard; one that scrolls does.
const fitted = new ResizeObserver(changes => {
  for (const {target} of changes)
    if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
    else target.removeAttribute('tabindex');
});
for (const table of document.querySelectorAll('.scroll')) fitted.observe(table);

for (const drawing of document.querySelectorAll('figure script.data')) {
  const figure = drawing.closest('figure');
  // An empty text stands for a value that was not measured.
  const values = JSON.parse(drawing.textContent, (key, value) => value === '' ? null : value);
  figure.plumb = new Figure(figure, values);
}
})();
