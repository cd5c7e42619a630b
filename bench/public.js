// npm's minhash and simhash for public.py: node public.js PACKAGE FOLDER
//
// Reads FOLDER/PACKAGE.json (texts, asked: the numbers of the texts that are searched), and prints the answers.
const [name, folder] = process.argv.slice(2);
const { texts, asked } = JSON.parse(require('fs').readFileSync(`${folder}/${name}.json`));
const peer = require(`${folder}/node_modules/${name}`);
const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [''];
const megabytes = () => {
	gc();
	const { heapUsed, external } = process.memoryUsage();
	return (heapUsed + external) / 1e6;
};

// The index of minhash raises an error for a text that it does not have, so the texts that are searched are in it.
const methods = {
	minhash: {
		how: '128 permutations of words, `LshIndex`',
		fingerprint(text) {
			const m = new peer.Minhash();
			for (const word of new Set(words(text))) m.update(word);
			return m;
		},
		make(fingerprints) {
			const index = new peer.LshIndex();
			fingerprints.forEach((m, nr) => index.insert(nr, m));
			return index;
		},
		find: (index, fingerprint) => index.query(fingerprint).map(Number),
	},
	// simhash has no index.
	simhash: {
		how: '32 bits of words, scan within 3',
		fingerprint: (text) => peer()(words(text)).reduce((bits, bit, i) => (bits | (bit << i)) >>> 0, 0),
		make: (fingerprints) => Uint32Array.from(fingerprints),
		find(index, fingerprint) {
			const found = [];
			for (let nr = 0; nr < index.length; nr++) {
				let different = index[nr] ^ fingerprint, n = 0;
				for (; different && n <= 3; n++) different &= different - 1;
				if (n <= 3) found.push(nr);
			}
			return found;
		},
	},
};
const method = methods[name];
const seconds = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1e6; };
const before = megabytes();
let began = seconds();
const index = method.make(texts.map(method.fingerprint));
const build = seconds() - began;
const mb = megabytes() - before;
asked.map((nr) => method.find(index, method.fingerprint(texts[nr])));		// fills the caches
began = seconds();
const found = asked.map((nr) => method.find(index, method.fingerprint(texts[nr])));
const lookup = (seconds() - began) / asked.length;
console.log(JSON.stringify({ how: method.how, build, mb, lookup, found }));
